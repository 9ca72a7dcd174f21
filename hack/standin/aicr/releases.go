package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
)

// installed is a Helm release as the cluster's Secrets tell it.
type installed struct{ Name, Namespace, Status, Version string }

// helmReleases reads the newest revision of every Helm release, cluster-wide.
func helmReleases(ctx context.Context, kubeconfig string) ([]installed, error) {
	out, err := kubectl(ctx, kubeconfig, "get", "secrets", "-A", "-l", "owner=helm", "-o", "json")
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []struct {
			Metadata struct {
				Namespace string            `json:"namespace"`
				Labels    map[string]string `json:"labels"`
			} `json:"metadata"`
			Data map[string]string `json:"data"`
		} `json:"items"`
	}
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, failWith(internal, "kubectl's answer cannot be read", err)
	}
	var releases []installed
	for _, item := range list.Items {
		labels := item.Metadata.Labels
		if labels["status"] == "superseded" {
			continue
		}
		version, err := chartVersion(item.Data["release"])
		if err != nil {
			slog.Warn("a Helm release cannot be read", "namespace", item.Metadata.Namespace, "name", labels["name"], "error", err)
			continue
		}
		releases = append(releases, installed{labels["name"], item.Metadata.Namespace, labels["status"], version})
	}
	return releases, nil
}

// chartVersion digs it out of a release Secret: base64 twice, gzip, JSON.
func chartVersion(encoded string) (string, error) {
	for range 2 {
		plain, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return "", err
		}
		encoded = string(plain)
	}
	zipped, err := gzip.NewReader(bytes.NewReader([]byte(encoded)))
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(zipped)
	if err != nil {
		return "", err
	}
	var release struct {
		Chart struct {
			Metadata struct {
				Version string `json:"version"`
			} `json:"metadata"`
		} `json:"chart"`
	}
	err = json.Unmarshal(data, &release)
	return release.Chart.Metadata.Version, err
}
