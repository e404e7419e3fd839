package hooks

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// FileAdmissionGate refuses files that have no business in a history: those
// whose name is that of a credential file, a log or the product of a build, and
// contents above a size. It judges what commits add or replace; a file that was
// there under its name stays admitted.
func FileAdmissionGate(maxBytes int64) Gate {
	return Gate{FileAdmission, func(ctx context.Context, _ Push, h History) (found []Finding, err error) {
		for c, err := range h.Commits(ctx) {
			if err != nil {
				return nil, err
			}
			for _, f := range c.Changes {
				reason, fix, err := admitFile(f, maxBytes)
				if err != nil {
					return nil, err
				}
				if reason != "" {
					found = append(found, Finding{Commit: c.ID, Path: f.Path, Reason: reason, Fix: fix})
				}
			}
		}
		return found, nil
	}}
}

const takeOut = "take it out of the commit that adds it, and list it in .gitignore: history keeps what was ever committed"

func admitFile(f Change, maxBytes int64) (reason, fix string, err error) {
	if f.Status == 'D' {
		return "", "", nil
	}
	if f.Size < 0 {
		return "", "", fmt.Errorf("the size of %q is not known", f.Path)
	}
	if f.Size > maxBytes {
		return fmt.Sprintf("%d bytes, more than the %d that gates.file_admission.max_bytes admits", f.Size, maxBytes),
			"keep large files elsewhere, as with git lfs, or raise the limit in dos.toml on the trunk", nil
	}
	if f.Status == 'A' {
		if kind := unwanted(f.Path); kind != "" {
			return "this is " + kind, takeOut, nil
		}
	}
	return "", "", nil
}

// unwanted says what a path is that is not admitted, "" for any other.
func unwanted(file string) string {
	dir, base := path.Split(strings.ToLower(file))
	for _, rule := range unwantedFiles {
		for _, glob := range rule.names {
			if ok, _ := path.Match(glob, base); ok {
				if rule.kind != credentials || !sample(base) {
					return rule.kind
				}
			}
		}
	}
	for part := range strings.SplitSeq(dir, "/") {
		if part == "node_modules" || part == "__pycache__" {
			return "the product of a build or an installation"
		}
	}
	if strings.HasSuffix(dir, ".aws/") && base == "credentials" {
		return credentials
	}
	return ""
}

const credentials = "a credential file by its name"

// unwantedFiles are names, in lower case, that nothing else has in practice.
var unwantedFiles = []struct {
	kind  string
	names []string
}{
	{credentials, []string{
		".env", ".env.*", ".netrc", "_netrc", ".pgpass", ".git-credentials", ".htpasswd", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
		"*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
	}},
	{"a log", []string{"*.log", "*.log.[0-9]", "*.log.[0-9][0-9]"}},
	{"the product of a build or an installation", []string{"*.o", "*.obj", "*.pyc", "*.class"}},
	{"a file of a desktop or an editor", []string{".ds_store", "thumbs.db", "desktop.ini", ".*.swp"}},
}

// sample reports whether a name says that the file holds no real values.
func sample(base string) bool {
	for _, end := range []string{"example", "sample", "template", "dist", "defaults"} {
		if strings.HasSuffix(base, "."+end) {
			return true
		}
	}
	return false
}
