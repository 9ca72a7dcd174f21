{{/* A text, number or boolean as text. Numbers have no exponent: 8388608, not 8.388608e+06. */}}
{{- define "nvidia-aicr.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end }}

{{/* Maps of texts, numbers and booleans as one map in YAML; every value is a string, a later map wins. */}}
{{- define "nvidia-aicr.textMap" -}}
{{- $texts := dict -}}
{{- range $map := . -}}
{{- range $key, $value := $map -}}
{{- $_ := set $texts $key (include "nvidia-aicr.text" $value) -}}
{{- end -}}
{{- end -}}
{{- toYaml $texts -}}
{{- end }}

{{/* Removes empty texts from a map, in place and at every depth, and maps that have nothing else. */}}
{{- define "nvidia-aicr.dropEmpty" -}}
{{- $map := . -}}
{{- range $key, $value := $map -}}
{{- if kindIs "map" $value -}}
{{- include "nvidia-aicr.dropEmpty" $value -}}
{{- end -}}
{{- if or (and (kindIs "string" $value) (eq $value "")) (and (kindIs "map" $value) (eq (len $value) 0)) -}}
{{- $_ := unset $map $key -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/*
A text for the value of an environment variable. Kubernetes makes `$` of `$$` and expands `$(NAME)` there; with
every `$` doubled the program gets the text as it was written.
https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
*/}}
{{- define "nvidia-aicr.envText" -}}
{{- $text := include "nvidia-aicr.text" . -}}
{{- if regexMatch "[$][$(]" $text }}{{ $text | replace "$" "$$" }}{{ else }}{{ $text }}{{ end -}}
{{- end }}
