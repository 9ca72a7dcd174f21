// Command render answers `helm template` without a process for each: it reads jobs from standard input, one JSON
// object a line, renders them with Helm's own packages, and answers each with one line on standard output.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// job is one command line of helm, without the program's name.
type job struct {
	Helm int      `json:"helm"`
	Args []string `json:"args"`
	// Coverage renders the templates with their coverage markers and answers which were reached.
	Coverage bool `json:"coverage"`
	// Survey executes the templates alone, without schema and manifests, and answers a digest of each file.
	Survey *survey `json:"survey"`
	// Schema asks only whether the values pass the chart's schema.
	Schema bool `json:"schema"`
}

// survey says which templates are worth executing.
type survey struct {
	Only []string `json:"only"`
}

// answer is what helm would have printed, and how it would have ended.
type answer struct {
	OK     bool   `json:"ok"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	// Unsupported says why this command line needs the real helm; everything else is empty then.
	Unsupported string `json:"unsupported,omitempty"`
	// Hits are the names of the coverage markers that were reached, sorted.
	Hits []string `json:"hits,omitempty"`
	// Files are digests of what each template made, by its path: of the text and, behind a blank, of the objects.
	Files map[string]string `json:"files,omitempty"`
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var next job
		if err := json.Unmarshal(line, &next); err != nil {
			fmt.Fprintf(os.Stderr, "not a job: %v\n", err)
			os.Exit(1)
		}
		if err := output.Encode(run(next)); err != nil {
			fmt.Fprintf(os.Stderr, "cannot answer: %v\n", err)
			os.Exit(1)
		}
	}
}

func run(next job) answer {
	command, err := parseCommand(next.Args)
	if err != nil {
		return answer{Unsupported: err.Error()}
	}
	if next.Survey != nil {
		return surveyWithHelm4(command, *next.Survey)
	}
	var seen *hits
	if next.Coverage {
		seen = newHits()
	}
	var result answer
	switch next.Helm {
	case 3:
		if command.install {
			return answer{Unsupported: "install with Helm 3 asks the cluster"}
		}
		result = renderWithHelm3(command, next.Schema, seen)
	case 4:
		result = renderWithHelm4(command, next.Schema, seen)
	default:
		return answer{Unsupported: fmt.Sprintf("there is no helm %d here", next.Helm)}
	}
	if seen != nil {
		result.Hits = seen.names()
	}
	return result
}

// failed is helm's way of ending with an error.
func failed(err error) answer {
	return answer{Stderr: fmt.Sprintf("Error: %v\n", err)}
}

// withHint adds what helm says when there is a release, but its manifests are no YAML.
func withHint(err error) error {
	return fmt.Errorf("%w\n\nUse --debug flag to render out invalid YAML", err)
}
