package audit

import (
	"strings"
	"sync"
)

// A set is the words of a text, which is read when it is first asked for one: most
// processes that have these words never do.
type set struct {
	text  string
	once  sync.Once
	words map[string]bool
}

func (s *set) has(word string) bool {
	s.once.Do(func() {
		s.words = map[string]bool{}
		for w := range strings.FieldsSeq(s.text) {
			s.words[w] = true
		}
	})
	return s.words[word]
}

// The names below are in lower case.
var (
	sourceSuffixes = set{text: `
		ada adb ads asm awk bash bat bzl c cc cfm clj cljc cljs cmake cmd coffee cpp cr cs csx cu cuh cxx d dart dockerfile
		el elm erb erl ex exs f f03 f08 f77 f90 f95 fish for fs fsi fsx gd glsl go gradle graphql groovy h hcl hh hlsl hpp
		hrl hs hxx inl ino ipynb java jl js jsx kt kts l lean lisp lua m mak makefile metal mjs cjs mk ml mli mm mts cts
		nim nix pas php pl pm proto ps1 psm1 pxd py pyi pyx r rake rb re res rkt rs s sc scala scm sh sol sql st sv svelte
		svh swift tcl tf thrift toit ts tsx v vb vhd vhdl vim vue wat wgsl xs y zig zsh`}

	docSuffixes  = set{text: "md markdown mdx rst txt adoc asciidoc org"}
	dataSuffixes = set{text: "yml yaml json toml xml csv lock cfg ini conf html css"}

	mediaSuffixes = set{text: `
		png jpg jpeg gif bmp ico svg webp tif tiff psd avif heic mp3 mp4 wav ogg flac mov avi mkv webm pdf doc docx xls xlsx
		ppt pptx odt ttf otf woff woff2 eot zip tar gz tgz bz2 xz zst 7z rar jar war whl o a so dll dylib exe bin obj class
		pyc pyo wasm`}

	sourceNames = set{text: "cmakelists.txt makefile gnumakefile dockerfile containerfile rakefile gemfile procfile jenkinsfile vagrantfile"}
	dataNames   = set{text: "version"}

	// proseNames are texts for people, with or without a suffix.
	proseNames = set{text: `
		license licence copying copyright notice authors contributors maintainers credits thanks patents contributing
		code_of_conduct changelog changes news readme todo`}

	upkeepNames = set{text: `
		.gitignore .gitattributes .gitkeep .keep .mailmap .editorconfig .git-blame-ignore-revs .gitmessage .hgignore .npmignore
		.prettierignore .eslintignore codeowners`}

	testDirs    = set{text: "test tests spec specs __tests__ testdata"}
	docDirs     = set{text: "doc docs example examples"}
	fixtureDirs = set{text: "testdata fixtures fixture golden goldens __snapshots__ snapshots"}

	ciPaths = set{text: `
		.gitlab-ci.yml .gitlab-ci.yaml .travis.yml .circleci/config.yml azure-pipelines.yml azure-pipelines.yaml jenkinsfile
		appveyor.yml .appveyor.yml bitbucket-pipelines.yml .drone.yml .woodpecker.yml .cirrus.yml cloudbuild.yaml
		cloudbuild.yml .buildkite/pipeline.yml .buildkite/pipeline.yaml codefresh.yml wercker.yml .semaphore/semaphore.yml
		.forgejo/workflows/ci.yml .gitea/workflows/ci.yml`}
)
