package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

var phaseNames = []string{"deployment", "conformance", "performance"}

func validateCommand() *cli.Command {
	return &cli.Command{
		Name:  "validate",
		Usage: "Validate a cluster against a recipe.",
		Flags: []cli.Flag{
			text("recipe", "recipe file", "r"), text("snapshot", "snapshot file; captured when not given", "s"),
			text("data", "data pack"), text("output", "file of the CTRF report", "o"),
			&cli.StringSliceFlag{Name: "phase", Usage: "deployment, performance, conformance or all"},
			&cli.BoolFlag{Name: "fail-on-error", Value: true, Usage: "exit with 8 when a check fails"},
			flag("fail-fast", "stop after the first phase that fails"), flag("no-cluster", "skip every check"),
			text("kubeconfig", "kubeconfig", "k"),
			&cli.StringFlag{Name: "namespace", Aliases: []string{"n"}, Value: "aicr-validation", Usage: "of the validators",
				Sources: cli.EnvVars("AICR_NAMESPACE")},
			text("image", "of the agent"), list("image-pull-secret", "of the validators"),
			list("node-selector", "of the validators"), list("toleration", "of the validators"),
			&cli.DurationFlag{Name: "timeout", Value: 5 * time.Minute, Usage: "of the agent"},
			flag("no-cleanup", "keep what the run made"), flag("require-gpu", "ask for a GPU"),
			text("emit-attestation", "folder of the evidence bundle"), flag("full", "with the whole payloads"),
			text("push", "OCI reference to push the evidence to"), flag("no-sign", "push it unsigned"),
			flag("plain-http", "to a registry without TLS"), flag("insecure-tls", "to a registry with an unknown authority"),
			tokenFlag(), flag("yes", "do not ask"),
		},
		Action: runValidate,
	}
}

func chosenPhases(asked []string) ([]string, error) {
	for _, name := range asked {
		if name != "all" && !slices.Contains(phaseNames, name) {
			return nil, fail(invalid, "invalid phase %q: must be one of: deployment, performance, conformance, all", name)
		}
	}
	return slices.DeleteFunc(slices.Clone(phaseNames), func(name string) bool {
		return len(asked) > 0 && !slices.Contains(asked, "all") && !slices.Contains(asked, name)
	}), nil
}

func runValidate(ctx context.Context, cmd *cli.Command) error {
	if cmd.String("recipe") == "" {
		return fail(invalid, "--recipe is required (or set spec.validate.input.recipe in --config)")
	}
	phases, err := chosenPhases(cmd.StringSlice("phase"))
	if err != nil {
		return err
	}
	offline, evidence := cmd.Bool("no-cluster"), cmd.String("emit-attestation")
	if offline && (evidence != "" || cmd.String("push") != "") {
		return fail(invalid, "--emit-attestation/--push cannot be combined with --no-cluster: a dry run attests nothing")
	}
	if offline {
		slog.Info("validating in --no-cluster mode — every check is reported as skipped")
	} else {
		slog.Info("validating against the live cluster of the active kube-context")
	}
	s, err := openStore(cmd.String("data"))
	if err != nil {
		return err
	}
	slog.Info("loading recipe", "uri", cmd.String("recipe"))
	r, err := readRecipe(cmd.String("recipe"))
	if err != nil {
		return err
	}
	captured, err := loadSnapshot(ctx, cmd, offline)
	if err != nil {
		return err
	}
	if !offline {
		if err := checkReadiness(r, captured); err != nil {
			return err
		}
	}
	report, perPhase, err := runPhases(ctx, cmd, s, r, phases, offline)
	if err != nil {
		return err
	}
	data, err := encodeJSON(report)
	if err != nil {
		return failWith(internal, "failed to serialize CTRF report", err)
	}
	if err := writeOutput(cmd.String("output"), data); err != nil {
		return err
	}
	// Emitted for a failed run as well: it is the proof of what failed.
	if evidence != "" {
		if err := emitEvidence(ctx, cmd, r, captured, perPhase); err != nil {
			return err
		}
	}
	if cmd.Bool("fail-on-error") && report.failing() {
		return fail(internal, "validation failed: one or more phases did not pass")
	}
	return nil
}

func loadSnapshot(ctx context.Context, cmd *cli.Command, offline bool) (*snapshot, error) {
	file := cmd.String("snapshot")
	if file == "" && offline {
		return &snapshot{Kind: "Snapshot", APIVersion: recipeHeader()}, nil
	}
	if file == "" {
		return captureSnapshot(ctx, cmd.String("kubeconfig"))
	}
	slog.Info("loading snapshot", "uri", file)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, failWith(notFound, "file not found", err)
	}
	var loaded snapshot
	if err := decode(data, &loaded); err != nil {
		return nil, failWith(invalid, "failed to parse snapshot", err)
	}
	return &loaded, nil
}

// checkReadiness refuses a cluster that misses a constraint of the recipe, whatever --fail-on-error says.
func checkReadiness(r *recipe, captured *snapshot) error {
	slog.Info("readiness pre-flight", "constraints", len(r.Constraints))
	for _, c := range r.Constraints {
		actual := captured.serverVersion()
		if c.Name != "K8s.server.version" {
			continue
		}
		if older(actual, strings.TrimSpace(strings.TrimPrefix(c.Value, ">="))) {
			return fail(invalid, "readiness check failed: %s expected %s, got %s", c.Name, c.Value, actual)
		}
		slog.Info("readiness constraint passed", "name", c.Name, "expected", c.Value, "actual", actual)
	}
	return nil
}

// runPhases runs the checks that the recipe names and those of the pack's validators.
func runPhases(ctx context.Context, cmd *cli.Command, s *store, r *recipe, phases []string, offline bool) (
	*ctrfReport, map[string]*ctrfReport, error) {
	all, perPhase := newReport(), map[string]*ctrfReport{}
	for _, name := range phases {
		part := newReport()
		checks := slices.Clone(r.Validation[name].Checks)
		for _, v := range s.validators {
			if v.Phase == name && !slices.Contains(checks, v.Name) {
				checks = append(checks, v.Name)
			}
		}
		slog.Info("running validation phase", "phase", name, "selected", len(checks))
		for _, check := range checks {
			outcome := ctrfTest{Name: check, Suite: []string{name}, Status: "skipped", Message: "no cluster was asked"}
			if !offline {
				var err error
				if outcome, err = s.runCheck(ctx, cmd.String("kubeconfig"), r, name, check); err != nil {
					return nil, nil, err
				}
			}
			slog.Info("validator completed", "name", check, "status", outcome.Status)
			part.add(outcome)
			all.add(outcome)
		}
		slog.Info("phase result", "phase", name, "failing", part.failing())
		perPhase[name] = part
		if part.failing() && cmd.Bool("fail-fast") {
			break
		}
	}
	return all, perPhase, nil
}

// runCheck runs one check. The pack's validators say with their first argument how they end; the catalogue's look
// at the cluster.
func (s *store) runCheck(ctx context.Context, kubeconfig string, r *recipe, phase, check string) (ctrfTest, error) {
	t := ctrfTest{Name: check, Suite: []string{phase}, Status: "passed"}
	for _, v := range s.validators {
		if v.Name == check && v.Phase == phase {
			return v.outcome(), nil
		}
	}
	switch check {
	case "expected-resources", "operator-health":
		missing, err := missingReleases(ctx, kubeconfig, r)
		if err != nil {
			return t, err
		}
		if len(missing) > 0 {
			t.Status, t.Message = "failed", "not deployed: "+strings.Join(missing, ", ")
		}
	default:
		// The rest needs GPUs, which a test cluster has not.
		t.Status, t.Message = "skipped", "no GPU nodes found in cluster"
	}
	return t, nil
}

// missingReleases lists the recipe's components without a deployed Helm release.
func missingReleases(ctx context.Context, kubeconfig string, r *recipe) ([]string, error) {
	installed, err := helmReleases(ctx, kubeconfig)
	if err != nil {
		return nil, err
	}
	missing := map[string]bool{}
	for _, c := range r.ComponentRefs {
		if c.enabled() {
			missing[c.Name] = true
		}
	}
	for _, release := range installed {
		if release.Status == "deployed" {
			delete(missing, release.Name)
		}
	}
	return slices.Sorted(maps.Keys(missing)), nil
}

// validator is an entry of a pack's validators/catalog.yaml.
type validator struct {
	Name  string   `json:"name"`
	Phase string   `json:"phase"`
	Image string   `json:"image"`
	Args  []string `json:"args"`
}

// outcome reads the first argument: passed, failed, skipped or other; the second, where there is one, is what the
// validator would have printed.
func (v validator) outcome() ctrfTest {
	t := ctrfTest{Name: v.Name, Suite: []string{v.Phase}, Status: "passed"}
	if len(v.Args) > 0 && slices.Contains([]string{"passed", "failed", "skipped", "other"}, v.Args[0]) {
		t.Status = v.Args[0]
	}
	if len(v.Args) > 1 {
		t.Stdout, t.Message = v.Args[1:], fmt.Sprintf("%s: %s", v.Name, t.Status)
	}
	return t
}

func (s *store) readValidators(data []byte) error {
	var catalog struct {
		APIVersion string      `json:"apiVersion"`
		Validators []validator `json:"validators"`
	}
	if err := decode(data, &catalog); err != nil {
		return failWith(internal, "failed to parse validators/catalog.yaml", err)
	}
	if catalog.APIVersion != "validator.nvidia.com/v1alpha1" {
		return fail(invalid, "unsupported apiVersion %q in validators/catalog.yaml", catalog.APIVersion)
	}
	s.validators = catalog.Validators
	return nil
}
