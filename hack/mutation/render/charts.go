package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	chart3 "helm.sh/helm/v3/pkg/chart"
	loader3 "helm.sh/helm/v3/pkg/chart/loader"
	chart4 "helm.sh/helm/v4/pkg/chart/v2"
	loader4 "helm.sh/helm/v4/pkg/chart/v2/loader"
)

// kept is how many states of charts are kept: the suite has a few charts, of which a fault makes one state more.
const kept = 32

// The charts that were loaded, by content.
var (
	charts3 = map[string]*chart3.Chart{}
	charts4 = map[string]*chart4.Chart{}
)

// loadChart3 loads a chart for one render of Helm 3.
func loadChart3(place string) (*chart3.Chart, error) {
	state := stateOf(place)
	ours, ok := charts3[state]
	if !ok {
		var err error
		if ours, err = loader3.Load(place); err != nil {
			return nil, err
		}
		once3(ours)
		// A render changes one with sub-charts.
		if state == "" || len(ours.Dependencies()) > 0 {
			return ours, nil
		}
		keep(charts3, state, ours)
	}
	// Templates may write into the chart's default values.
	copied := *ours
	copied.Values, _ = deepCopy(ours.Values).(map[string]any)
	return &copied, nil
}

// loadChart4 loads a chart for one render of Helm 4.
func loadChart4(place string) (*chart4.Chart, error) {
	state := stateOf(place)
	ours, ok := charts4[state]
	if !ok {
		var err error
		if ours, err = loader4.Load(place); err != nil {
			return nil, err
		}
		once4(ours)
		if state == "" || len(ours.Dependencies()) > 0 {
			return ours, nil
		}
		keep(charts4, state, ours)
	}
	copied := *ours
	copied.Values, _ = deepCopy(ours.Values).(map[string]any)
	return &copied, nil
}

func keep[Chart any](charts map[string]*Chart, state string, ours *Chart) {
	if len(charts) >= kept {
		clear(charts)
	}
	charts[state] = ours
}

// stateOf is a digest of all files of a chart's folder; empty when it is no folder, or cannot be read.
func stateOf(folder string) string {
	sum := sha256.New()
	files := 0
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(content))
		sum.Write(content)
		files++
		return err
	})
	if err != nil || files < 2 {
		return ""
	}
	return string(sum.Sum(nil))
}

func once3(ours *chart3.Chart) {
	for _, file := range ours.Templates {
		file.Data = once(file.Data)
	}
	for _, dependency := range ours.Dependencies() {
		once3(dependency)
	}
}

func once4(ours *chart4.Chart) {
	for _, file := range ours.Templates {
		file.Data = once(file.Data)
	}
	for _, dependency := range ours.Dependencies() {
		once4(dependency)
	}
}

func deepCopy(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for key, item := range value {
			copied[key] = deepCopy(item)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for index, item := range value {
			copied[index] = deepCopy(item)
		}
		return copied
	default:
		return value
	}
}
