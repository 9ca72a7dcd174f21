{{/*
Names of the ConfigMaps that a run writes. A result that is too large for one is split over `<name>-1`, `<name>-2` and
so on, so its name leaves room for a number, and no other name may look like one of these. The status is never split.
*/}}
{{- define "nvidia-aicr.guard.configMapNames" -}}
{{- $validate := .Values.validate -}}
{{- $results := dict "recipeConfigMap" .Values.recipeConfigMap -}}
{{- if and .Values.deploy.enabled .Values.upgradeCheck.enabled }}{{ $_ := set $results "upgradeCheck.configMap" .Values.upgradeCheck.configMap }}{{ end -}}
{{- if $validate.enabled }}{{ $_ := set $results "validate.resultConfigMap" $validate.resultConfigMap }}{{ end -}}
{{- if and $validate.enabled $validate.emitEvidence }}{{ $_ := set $results "validate.evidenceConfigMap" $validate.evidenceConfigMap }}{{ end -}}
{{- range $key, $name := dict "validate.resultConfigMap" $validate.resultConfigMap "validate.evidenceConfigMap" $validate.evidenceConfigMap }}
{{- if not $name }}
{{ $key }}: is empty, but what was proven must be kept somewhere; name a ConfigMap
{{- end }}
{{- end }}
{{- $seen := dict -}}
{{- range $key, $name := merge (dict "statusConfigMap" .StatusName) $results }}
{{- if $name }}
{{- $longest := ternary 248 253 (hasKey $results $key) -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" $name) }}
{{ $key }}: {{ $name | quote }} is not a name for a ConfigMap; use lower-case letters, digits, - and .
{{- else if gt (len $name) $longest }}
{{ $key }}: has {{ len $name }} characters; use {{ $longest }} at most
{{- else if regexMatch (printf "^%s-(run|runner)-[0-9a-f]{10}$" (regexQuoteMeta $.Fullname)) $name }}
{{ $key }}: {{ $name }} could be the name of a ConfigMap of the chart itself; choose another
{{- else if hasKey $seen $name }}
{{ $key }}: {{ $name }} is the name in {{ get $seen $name }} too; give each its own
{{- end }}
{{- range $other, $split := $results }}
{{- if and $split (regexMatch (printf "^%s-[0-9]+$" (regexQuoteMeta $split)) $name) }}
{{ $key }}: {{ $name }} could be the name of a part of {{ $other }}, {{ $split }}; choose another
{{- end }}
{{- end }}
{{- $_ := set $seen $name $key }}
{{- end }}
{{- end }}
{{- end }}

{{- define "nvidia-aicr.guard.lockNamespace" -}}
{{- $namespace := .Values.lock.namespace -}}
{{- if not $namespace }}
lock.namespace: is empty, but the Lease must be somewhere; name a namespace, the same in every release of the cluster
{{- else if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" $namespace) }}
lock.namespace: {{ $namespace | quote }} is not a name for a namespace; use lower-case letters, digits and -, 63 characters at most
{{- end }}
{{- end }}
