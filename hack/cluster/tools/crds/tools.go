//go:build tools

// Package tools keeps what the definitions are made of in go.mod's requirements.
package tools

import (
	_ "github.com/fluxcd/helm-controller/api/v2"
	_ "github.com/fluxcd/source-controller/api/v1"
	_ "sigs.k8s.io/controller-tools/cmd/controller-gen"
)
