package main

import (
	"bytes"
	"encoding/json"
	"os"

	"go.yaml.in/yaml/v3"
)

// decode reads YAML (and so JSON) into a value with json tags.
func decode(data []byte, into any) error {
	var document any
	if err := yaml.Unmarshal(data, &document); err != nil {
		return err
	}
	plain, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}

// encodeYAML writes a value with json tags as YAML with sorted keys, as upstream does.
func encodeYAML(value any) ([]byte, error) {
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var document any
	if err := yaml.Unmarshal(plain, &document); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(document); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

func encodeJSON(value any) ([]byte, error) {
	out, err := json.MarshalIndent(value, "", "  ")
	return append(out, '\n'), err
}

// writeOutput puts a document where --output says: stdout when it is empty or -.
func writeOutput(path string, data []byte) error {
	if path == "" || path == "-" || path == "stdout" {
		_, err := os.Stdout.Write(data)
		return err
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return failWith(internal, "failed to create output file \""+path+"\"", err)
	}
	return nil
}
