package audit

var (
	noClaimWords   = set{text: "wip misc cleanup chore bump version release merge revert format lint whitespace style nit nits"}
	noClaimPhrases = [][]string{{"address", "review"}, {"review", "feedback"}, {"rename", "variable"}}

	// effectTypes are the conventional types that claim an effect whatever
	// follows; codeTypes also those that claim one unless it is taken back.
	effectTypes = set{text: "feat fix perf refactor"}
	codeTypes   = set{text: "feat fix perf refactor build ci"}

	effectVerbs = set{text: `
		fix fixes fixed add adds added implement implements implemented remove removes removed delete optimise optimize
		refactor rename move support handle resolve resolves patch correct introduce enable disable drop migrate upgrade
		downgrade wire hook`}

	docWords    = set{text: "doc docs documentation readme changelog"}
	textWords   = set{text: "comment comments typo wording rephrase clarify"}
	docScopes   = set{text: "doc docs readme changelog"}
	docPaths    = set{text: "license licence contributing authors notice claude readme changelog"}
	docMentions = set{text: `docs readme changelog guide guides guideline guidelines tutorial tutorials faq glossary docstring docstrings`}

	// inCodeWords name documents that live in code.
	inCodeWords = set{text: "comment comments commentary docstring docstrings godoc javadoc jsdoc rustdoc doxygen header help usage typo typos spelling"}

	testLeads       = set{text: "test tests testing coverage assertion assertions spec specs"}
	earlyTestWords  = set{text: "test tests testing spec specs coverage"}
	testOutputWords = set{text: "result results output outputs report reports data log logs"}

	passPhrases = [][]string{
		{"tests", "pass"}, {"test", "pass"}, {"tests", "green"}, {"all", "tests"}, {"passing", "tests"}, {"tests", "passing"}, {"green", "build"},
		{"fix", "the", "test"}, {"fixes", "the", "test"}, {"fix", "failing", "test"}, {"fix", "the", "failing", "test"},
	}

	moreWords = set{text: `
		add adds added adding cover covers covered covering coverage extend extends extended expand expands more new introduce
		implement increase raise write another additional`}
	moveVerbs   = set{text: "rename renames renamed move moves moved"}
	removeVerbs = set{text: "remove removes removed delete deletes deleted drop drops dropped prune trim dedupe simplify"}

	// These declare that a change which carries nothing by itself is what the
	// subject is about.
	testWords = set{text: `
		test tests testing tested assertion assertions fixture fixtures mock mocks stub stubs golden goldens
		flake flakes flaky e2e testdata harness bench benchmark benchmarks`}
	modeWords       = set{text: "chmod filemode executable permission permissions +x"}
	whitespaceWords = set{text: "whitespace indent indents indentation indented newline newlines crlf lf eol tab tabs"}
	upkeepWords     = set{text: "ignore ignores ignored gitignore gitattributes lfs crlf lf eol autocrlf mailmap editorconfig codeowners"}
)
