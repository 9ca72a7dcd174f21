package main

import (
	"fmt"

	"github.com/spf13/pflag"
)

// command is a parsed `helm template NAME CHART ...` or `helm install NAME CHART --dry-run=client ...`.
type command struct {
	install                bool
	name, chart, namespace string
	kubeVersion            string
	apiVersions            []string
	isUpgrade              bool
	subNotes               bool
	valueFiles             []string
	set, setString         []string
	setJSON, setLiteral    []string
	setFile                []string
}

// parseCommand reads helm's arguments; an error says what only the real helm can do.
func parseCommand(args []string) (command, error) {
	var c command
	flags := pflag.NewFlagSet("helm", pflag.ContinueOnError)
	flags.StringVarP(&c.namespace, "namespace", "n", "default", "")
	flags.StringVar(&c.kubeVersion, "kube-version", "", "")
	flags.StringSliceVarP(&c.apiVersions, "api-versions", "a", nil, "")
	flags.BoolVar(&c.isUpgrade, "is-upgrade", false, "")
	flags.BoolVar(&c.subNotes, "render-subchart-notes", false, "")
	flags.StringSliceVarP(&c.valueFiles, "values", "f", nil, "")
	flags.StringArrayVar(&c.set, "set", nil, "")
	flags.StringArrayVar(&c.setString, "set-string", nil, "")
	flags.StringArrayVar(&c.setJSON, "set-json", nil, "")
	flags.StringArrayVar(&c.setLiteral, "set-literal", nil, "")
	flags.StringArrayVar(&c.setFile, "set-file", nil, "")
	dryRun := flags.String("dry-run", "", "")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	positional := flags.Args()
	if len(positional) != 3 {
		return c, fmt.Errorf("%d words instead of a verb, a name and a chart", len(positional))
	}
	switch verb := positional[0]; {
	case verb == "template" && *dryRun == "":
	case verb == "install" && *dryRun == "client":
		c.install = true
	default:
		return c, fmt.Errorf("%s with --dry-run=%q", verb, *dryRun)
	}
	c.name, c.chart = positional[1], positional[2]
	return c, nil
}
