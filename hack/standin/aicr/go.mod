module nvidia-aicr-chart/standin/aicr

go 1.26

require (
	github.com/opencontainers/image-spec v1.1.1
	github.com/urfave/cli/v3 v3.11.0
	go.yaml.in/yaml/v3 v3.0.5
	oras.land/oras-go/v2 v2.6.2
)

require (
	github.com/opencontainers/go-digest v1.0.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
)
