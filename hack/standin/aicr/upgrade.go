package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v3"
)

type upgradeReport struct {
	From       string           `json:"from"`
	To         string           `json:"to"`
	Deployer   string           `json:"deployer,omitempty"`
	Source     map[string]any   `json:"source,omitempty"`
	Components []upgradedChange `json:"components"`
	Summary    upgradeSummary   `json:"summary"`
}

type upgradeSummary struct {
	Components int `json:"components"`
	Failing    int `json:"failing"`
}

type upgradedChange struct {
	Component    string        `json:"component"`
	Change       string        `json:"change"`
	From         string        `json:"from,omitempty"`
	To           string        `json:"to,omitempty"`
	Verdict      string        `json:"verdict,omitempty"`
	Notes        string        `json:"notes"`
	Reason       string        `json:"reason,omitempty"`
	Explanation  string        `json:"explanation,omitempty"`
	Breaking     bool          `json:"breaking"`
	Downgrade    bool          `json:"downgrade"`
	StoppedAt    string        `json:"stoppedAt,omitempty"`
	Summary      string        `json:"summary,omitempty"`
	Precondition string        `json:"precondition,omitempty"`
	Steps        []upgradeStep `json:"steps,omitempty"`
	FailsRun     bool          `json:"failsRun"`
}

func upgradeCheckCommand() *cli.Command {
	return &cli.Command{
		Name:  "upgrade-check",
		Usage: "Say whether moving from one recipe or bundle to another is safe.",
		Flags: []cli.Flag{
			text("from", "recipe file, bundle folder, or cluster", "f"), text("to", "recipe file or bundle folder"),
			text("deployer", "who applies it", "d"), flag("scan-cluster", "look for objects at risk"),
			&cli.BoolFlag{Name: "fail-on-error", Value: true, Usage: "exit with 2 when a component needs attention"},
			text("output", "file, stdout by default", "o"),
			&cli.StringFlag{Name: "format", Aliases: []string{"t"}, Value: "table", Usage: "table, json or yaml"},
			text("kubeconfig", "kubeconfig", "k"),
		},
		Action: runUpgradeCheck,
	}
}

func runUpgradeCheck(ctx context.Context, cmd *cli.Command) error {
	if !slices.Contains([]string{"table", "json", "yaml"}, cmd.String("format")) {
		return fail(invalid, "unknown output format: %q, valid formats are: yaml, json, table", cmd.String("format"))
	}
	if cmd.String("from") == "" {
		return fail(invalid, "--from is required")
	}
	if deployer := cmd.String("deployer"); deployer != "" && deployer != "helm" {
		return fail(invalid, "invalid deployer type %q: must be one of [helm], the only one of the stand-in", deployer)
	}
	if cmd.String("to") == "" {
		return fail(invalid, "--to is required by the stand-in")
	}
	target, err := readRecipe(cmd.String("to"))
	if err != nil {
		return err
	}
	to := pinnedVersions(target)
	report := upgradeReport{From: cmd.String("from"), To: cmd.String("to"), Deployer: cmd.String("deployer"), Components: []upgradedChange{}}
	var from map[string]string
	if report.From == "cluster" {
		from, err = clusterVersions(ctx, cmd.String("kubeconfig"), to)
		report.Source = map[string]any{"kubeconfig": cmd.String("kubeconfig"), "matched": len(from)}
	} else {
		var origin *recipe
		if origin, err = readRecipe(report.From); err == nil {
			from = pinnedVersions(origin)
		}
	}
	if err != nil {
		return err
	}
	records, err := readRecords()
	if err != nil {
		return err
	}
	report.compare(records, from, to)
	if err := report.write(cmd.String("format"), cmd.String("output")); err != nil {
		return err
	}
	if cmd.Bool("fail-on-error") && report.Summary.Failing > 0 {
		return fail(conflict, "upgrade check failed: %d component change(s) need attention", report.Summary.Failing)
	}
	return nil
}

// pinnedVersions are those of the recipe's enabled components; what is made of manifests has none.
func pinnedVersions(r *recipe) map[string]string {
	out := map[string]string{}
	for _, c := range r.ComponentRefs {
		if c.enabled() && c.Version != "" {
			out[c.Name] = c.Version
		}
	}
	return out
}

// clusterVersions are the chart versions of the releases that bear a component's name.
func clusterVersions(ctx context.Context, kubeconfig string, wanted map[string]string) (map[string]string, error) {
	releases, err := helmReleases(ctx, kubeconfig)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, r := range releases {
		target, ok := wanted[r.Name]
		if !ok {
			continue
		}
		out[r.Name] = r.Version
		// Helm stores the version without the v that some charts' pins carry.
		if "v"+r.Version == target {
			out[r.Name] = target
		}
	}
	return out, nil
}

func (r *upgradeReport) compare(records []record, from, to map[string]string) {
	names := map[string]bool{}
	for name := range from {
		names[name] = true
	}
	for name := range to {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, wasThere := from[name]
		after, willBe := to[name]
		switch {
		case before == after:
			continue
		case !wasThere:
			r.Components = append(r.Components, upgradedChange{Component: name, Change: "added", To: after, Notes: "new component, nothing to do"})
		case !willBe:
			r.Components = append(r.Components, upgradedChange{Component: name, Change: "removed", From: before, Notes: "stays installed; AICR does not uninstall it"})
		default:
			r.Components = append(r.Components, assess(records, name, before, after))
		}
	}
	r.Summary.Components = len(r.Components)
	for _, c := range r.Components {
		if c.FailsRun {
			r.Summary.Failing++
		}
	}
}

func (r *upgradeReport) write(format, output string) error {
	if format != "table" {
		data, err := encodeAs(format, r)
		if err != nil {
			return failWith(internal, "failed to encode the report", err)
		}
		return writeOutput(output, data)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "UPGRADE CHECK\n  from      %s\n  to        %s\n  deployer  %s\n\n", r.From, r.To, r.Deployer)
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "COMPONENT\tFROM\tTO\tVERDICT\tNOTES")
	for _, c := range r.Components {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", c.Component, dash(c.From), dash(c.To), dash(c.Verdict), c.Notes)
	}
	if err := table.Flush(); err != nil {
		return failWith(internal, "failed to write the report", err)
	}
	for _, c := range r.Components {
		if c.FailsRun {
			fmt.Fprintf(&out, "\n%s %s -> %s  (%s)\n  %s\n", c.Component, c.From, c.To, c.Verdict, c.Explanation)
		}
	}
	fmt.Fprintf(&out, "\n%d component changes, %d need attention\n", r.Summary.Components, r.Summary.Failing)
	if output == "" {
		_, err := os.Stdout.Write(out.Bytes())
		return err
	}
	return writeOutput(output, out.Bytes())
}

func dash(cell string) string {
	if cell == "" {
		return "-"
	}
	return cell
}
