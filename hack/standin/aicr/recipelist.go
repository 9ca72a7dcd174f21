package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v3"
)

// listedCriteria has capitals in JSON because upstream's has; that is how its consumers read it.
type listedCriteria struct {
	Service, Accelerator, Intent, OS, Platform string
	Nodes                                      int
}

type listed struct {
	Name     string         `json:"name"`
	Criteria listedCriteria `json:"criteria"`
	IsLeaf   bool           `json:"is_leaf"`
	Source   string         `json:"source"`
}

func recipeListCommand() *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "List the overlays of the catalogue.",
		Flags: append(criteriaFlags(), text("data", "data pack to lay over the catalogue"),
			flag("no-health", "without health"),
			&cli.StringFlag{Name: "format", Aliases: []string{"t"}, Value: "table", Usage: "table, json or yaml"}),
		Action: runRecipeList,
	}
}

func runRecipeList(_ context.Context, cmd *cli.Command) error {
	s, err := openStore(cmd.String("data"))
	if err != nil {
		return err
	}
	filter := stated(askedCriteria(cmd))
	entries := []listed{}
	for _, name := range slices.Sorted(maps.Keys(s.overlays)) {
		o := s.overlays[name]
		if len(stated(o.Criteria)) == 0 || !within(filter, stated(o.Criteria)) {
			continue
		}
		entry := listed{Name: name, IsLeaf: true, Source: "embedded", Criteria: listedCriteria{
			Service: o.Criteria["service"], Accelerator: o.Criteria["accelerator"], Intent: o.Criteria["intent"],
			OS: o.Criteria["os"], Platform: o.Criteria["platform"]}}
		if o.external {
			entry.Source = "external"
		}
		for _, other := range s.overlays {
			entry.IsLeaf = entry.IsLeaf && other.Base != name
		}
		entries = append(entries, entry)
	}
	data, err := encodeList(cmd.String("format"), entries)
	if err != nil {
		return err
	}
	return writeOutput("", data)
}

func encodeList(format string, entries []listed) ([]byte, error) {
	if format != "table" {
		return encodeAs(format, entries)
	}
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSERVICE\tACCELERATOR\tINTENT\tOS\tPLATFORM\tIS_LEAF\tSOURCE")
	for _, e := range entries {
		cells := []string{e.Criteria.Service, e.Criteria.Accelerator, e.Criteria.Intent, e.Criteria.OS, e.Criteria.Platform}
		for i, cell := range cells {
			if cell == "" {
				cells[i] = "any"
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%t\t%s\n", e.Name, cells[0], cells[1], cells[2], cells[3], cells[4],
			e.IsLeaf, e.Source)
	}
	err := table.Flush()
	return out.Bytes(), err
}

// encodeTable writes a document as one line for each of its leaves.
func encodeTable(value any) ([]byte, error) {
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var document any
	if err := json.Unmarshal(plain, &document); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FIELD\tVALUE")
	flatten(table, "", document)
	err = table.Flush()
	return out.Bytes(), err
}

func flatten(table *tabwriter.Writer, at string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			flatten(table, at+"."+key, value[key])
		}
	case []any:
		for i, item := range value {
			flatten(table, fmt.Sprintf("%s[%d]", at, i), item)
		}
	default:
		fmt.Fprintf(table, "%s\t%v\n", at, value)
	}
}
