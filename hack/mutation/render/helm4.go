package main

import (
	"context"
	"fmt"
	"strings"
	"text/template"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/cli/values"
	"helm.sh/helm/v4/pkg/engine"
	release "helm.sh/helm/v4/pkg/release/v1"
)

// renderWithHelm4 does what `helm template` of Helm 4 does.
func renderWithHelm4(c command, schemaOnly bool, seen *hits) answer {
	options := values.Options{
		ValueFiles: c.valueFiles, Values: c.set, StringValues: c.setString,
		JSONValues: c.setJSON, LiteralValues: c.setLiteral, FileValues: c.setFile,
	}
	given, err := options.MergeValues(nil)
	if err != nil {
		return failed(err)
	}
	ours, err := loadChart4(c.chart)
	if err != nil {
		return failed(err)
	}
	if schemaOnly || seen != nil {
		return executeWithHelm4(c, ours, given, seen)
	}
	install := action.NewInstall(new(action.Configuration))
	install.DryRunStrategy = action.DryRunClient
	install.ReleaseName = c.name
	install.Namespace = c.namespace
	install.Replace = !c.install
	install.IsUpgrade = c.isUpgrade
	install.SubNotes = c.subNotes
	install.APIVersions = common.VersionSet(c.apiVersions)
	if c.kubeVersion != "" {
		version, err := common.ParseKubeVersion(c.kubeVersion)
		if err != nil {
			return failed(fmt.Errorf("invalid kube version '%s': %w", c.kubeVersion, err))
		}
		install.KubeVersion = version
	}
	made, err := install.RunWithContext(context.Background(), ours, given)
	rel, _ := made.(*release.Release)
	if c.install {
		return installed(rel, err)
	}
	if err != nil {
		if rel != nil {
			err = withHint(err)
		}
		return failed(err)
	}
	text := strings.TrimSpace(rel.Manifest) + "\n"
	for _, hook := range rel.Hooks {
		text += fmt.Sprintf("---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return answer{OK: true, Stdout: text}
}

// installed is what `helm install --dry-run=client` says: the one way to see the notes without a cluster.
func installed(rel *release.Release, err error) answer {
	if err != nil {
		return failed(fmt.Errorf("INSTALLATION FAILED: %w", err))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "NAME: %s\nLAST DEPLOYED: %s\n", rel.Name, rel.Info.LastDeployed.Format(time.ANSIC))
	fmt.Fprintf(&text, "NAMESPACE: %s\nSTATUS: %s\n", rel.Namespace, rel.Info.Status)
	fmt.Fprintf(&text, "REVISION: %d\nDESCRIPTION: %s\n", rel.Version, rel.Info.Description)
	text.WriteString("TEST SUITE: None\nHOOKS:\n")
	for _, hook := range rel.Hooks {
		fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	fmt.Fprintf(&text, "MANIFEST:\n%s\n", rel.Manifest)
	if rel.Info.Notes != "" {
		fmt.Fprintf(&text, "NOTES:\n%s\n", strings.TrimSpace(rel.Info.Notes))
	}
	return answer{OK: true, Stdout: text.String()}
}

// executeWithHelm4 checks the values; and with a recorder it executes the templates alone, for the sake of the
// coverage markers.
func executeWithHelm4(c command, ours *chart.Chart, given map[string]any, seen *hits) answer {
	if err := chartutil.ProcessDependencies(ours, given); err != nil {
		return failed(err)
	}
	options := common.ReleaseOptions{
		Name: c.name, Namespace: c.namespace, Revision: 1, IsInstall: !c.isUpgrade, IsUpgrade: c.isUpgrade,
	}
	complete, err := util.ToRenderValuesWithSchemaValidation(ours, given, options, common.DefaultCapabilities.Copy(), false)
	if err != nil {
		return failed(err)
	}
	if seen == nil {
		return answer{OK: true}
	}
	functions := template.FuncMap{"lookup": func(_, _, _, name string) map[string]any {
		seen.seen[name] = struct{}{}
		return map[string]any{}
	}}
	return executed(engine.Engine{CustomTemplateFuncs: functions}.Render(ours, complete))
}
