package main

import (
	"context"
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/engine"
)

// renderWithHelm3 does what `helm template` of Helm 3 does.
func renderWithHelm3(c command, schemaOnly bool, seen *hits) answer {
	options := values.Options{
		ValueFiles: c.valueFiles, Values: c.set, StringValues: c.setString,
		JSONValues: c.setJSON, LiteralValues: c.setLiteral, FileValues: c.setFile,
	}
	given, err := options.MergeValues(nil)
	if err != nil {
		return failed(err)
	}
	ours, err := loadChart3(c.chart)
	if err != nil {
		return failed(err)
	}
	if schemaOnly || seen != nil {
		return executeWithHelm3(c, ours, given, seen)
	}
	install := action.NewInstall(new(action.Configuration))
	install.DryRunOption = "true"
	install.DryRun = true
	install.ClientOnly = true
	install.ReleaseName = c.name
	install.Namespace = c.namespace
	install.Replace = true
	install.IsUpgrade = c.isUpgrade
	install.APIVersions = chartutil.VersionSet(c.apiVersions)
	if c.kubeVersion != "" {
		version, err := chartutil.ParseKubeVersion(c.kubeVersion)
		if err != nil {
			return failed(fmt.Errorf("invalid kube version '%s': %s", c.kubeVersion, err))
		}
		install.KubeVersion = version
	}
	rel, err := install.RunWithContext(context.Background(), ours, given)
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

// executeWithHelm3 checks the values; and with a recorder it executes the templates alone, for the sake of the
// coverage markers.
func executeWithHelm3(c command, ours *chart.Chart, given map[string]any, seen *hits) answer {
	if err := chartutil.ProcessDependenciesWithMerge(ours, given); err != nil {
		return failed(err)
	}
	options := chartutil.ReleaseOptions{
		Name: c.name, Namespace: c.namespace, Revision: 1, IsInstall: !c.isUpgrade, IsUpgrade: c.isUpgrade,
	}
	complete, err := chartutil.ToRenderValuesWithSchemaValidation(ours, given, options, chartutil.DefaultCapabilities.Copy(), false)
	if err != nil {
		return failed(err)
	}
	if seen == nil {
		return answer{OK: true}
	}
	return executed(engine.RenderWithClientProvider(ours, complete, seen))
}
