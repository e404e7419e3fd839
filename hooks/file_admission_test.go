package hooks

import "testing"

func TestFilesThatAreNotAdmitted(t *testing.T) {
	const limit = 100
	log, cred, built, desk := "this is a log", "this is "+credentials, "this is the product of a build or an installation", "this is a file of a desktop or an editor"
	tests := []struct {
		claim  string
		change Change
		want   string
	}{
		{"a plain file", Change{Status: 'A', Path: "src/a.go", Size: 100}, ""},
		{"one byte too many", Change{Status: 'A', Path: "a", Size: 101}, "a: 101 bytes, more than the 100 that gates.file_admission.max_bytes admits"},
		{"a file that grows", Change{Status: 'M', Path: "a", Size: 101}, "a: 101 bytes, more than the 100 that gates.file_admission.max_bytes admits"},
		{"a file that goes", Change{Status: 'D', Path: "a.log", Size: 0}, ""},
		{"a size that is not known", Change{Status: 'A', Path: "a", Size: -1}, `error: the size of "a" is not known`},
		{"a log", Change{Status: 'A', Path: "deep/a.LOG"}, "deep/a.LOG: " + log},
		{"an old log", Change{Status: 'A', Path: "a.log.3"}, "a.log.3: " + log},
		{"a log that was there", Change{Status: 'M', Path: "a.log"}, ""},
		{"a changelog", Change{Status: 'A', Path: "changelog"}, ""},
		{"a key", Change{Status: 'A', Path: ".ssh/id_ed25519"}, ".ssh/id_ed25519: " + cred},
		{"its public part", Change{Status: 'A', Path: ".ssh/id_ed25519.pub"}, ""},
		{"an environment", Change{Status: 'A', Path: "app/.env"}, "app/.env: " + cred},
		{"that of production", Change{Status: 'A', Path: ".env.production"}, ".env.production: " + cred},
		{"a sample of one", Change{Status: 'A', Path: ".env.example"}, ""},
		{"credentials of a cloud", Change{Status: 'A', Path: "home/.aws/credentials"}, "home/.aws/credentials: " + cred},
		{"a file called so", Change{Status: 'A', Path: "docs/credentials"}, ""},
		{"an object file", Change{Status: 'A', Path: "a.o"}, "a.o: " + built},
		{"an installation", Change{Status: 'A', Path: "web/node_modules/x/index.js"}, "web/node_modules/x/index.js: " + built},
		{"a desktop's file", Change{Status: 'A', Path: "a/.DS_Store"}, "a/.DS_Store: " + desk},
	}
	for _, tt := range tests {
		h := given{commits: []Commit{{ID: idA, Changes: []Change{tt.change}}}}
		if got := reasons(t, FileAdmissionGate(limit), Push{}, h); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.want)
		}
	}
}
