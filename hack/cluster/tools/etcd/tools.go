//go:build tools

// Package tools keeps etcd in go.mod's requirements.
package tools

import _ "go.etcd.io/etcd/server/v3"
