package main

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/cli/values"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"sigs.k8s.io/yaml"
)

// surveyWithHelm4 executes templates of a chart whose values have passed the schema before.
func surveyWithHelm4(c command, s survey) answer {
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
	keepOnly(ours, s.Only)
	if err := chartutil.ProcessDependencies(ours, given); err != nil {
		return failed(err)
	}
	release := common.ReleaseOptions{
		Name: c.name, Namespace: c.namespace, Revision: 1, IsInstall: !c.isUpgrade, IsUpgrade: c.isUpgrade,
	}
	complete, err := util.ToRenderValuesWithSchemaValidation(ours, given, release, common.DefaultCapabilities.Copy(), true)
	if err != nil {
		return failed(err)
	}
	return executed(engine.Render(ours, complete))
}

// keepOnly removes the templates that make objects, but for the ones named.
func keepOnly(ours *chart.Chart, only []string) {
	// The list may be that of a chart that is kept.
	ours.Templates = slices.DeleteFunc(slices.Clone(ours.Templates), func(file *common.File) bool {
		return !strings.HasPrefix(path.Base(file.Name), "_") && !slices.Contains(only, file.Name)
	})
	for _, dependency := range ours.Dependencies() {
		keepOnly(dependency, only)
	}
}

// positions are where in a template an error is: a fault moves what stands behind it, which is no difference.
var positions = regexp.MustCompile(`(\.[a-z]+):[0-9]+(:[0-9]+)?`)

// executed is what the templates came to: of each a digest of its text and one of its objects, which is empty when
// the text is no YAML. Two texts with the same objects differ in quotes, comments and the like.
func executed(made map[string]string, err error) answer {
	if err != nil {
		return answer{Stderr: positions.ReplaceAllString(err.Error(), "$1")}
	}
	files := make(map[string]string, len(made))
	for name, text := range made {
		if strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		files[name] = digest([]byte(text)) + " " + objects(name, text)
	}
	return answer{OK: true, Files: files}
}

func objects(name, text string) string {
	if path.Ext(name) == ".txt" {
		return digest([]byte(text))
	}
	manifests := releaseutil.SplitManifests(text)
	keys := slices.Collect(maps.Keys(manifests))
	sort.Sort(releaseutil.BySplitManifestsOrder(keys))
	var all []byte
	for _, key := range keys {
		object, err := yaml.YAMLToJSON([]byte(manifests[key]))
		if err != nil {
			return ""
		}
		all = append(all, object...)
	}
	return digest(all)
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}
