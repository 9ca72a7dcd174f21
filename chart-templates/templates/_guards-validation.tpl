{{/*
Guards of what the run proves. What run.json could not hold is refused always; what only matters when it is used, then.
*/}}
{{- define "nvidia-aicr.guard.deployEnabled" -}}
{{- if not (or .Values.deploy.enabled .Values.validate.enabled) -}}
deploy.enabled: is false, and so is validate.enabled, so the Job would do nothing; set one of the two to true
{{- end -}}
{{- end }}

{{- define "nvidia-aicr.guard.phases" -}}
{{- if and .Values.validate.enabled (not .Values.validate.phases) }}
validate.phases: is empty, so nothing would be validated; name deployment, performance, conformance, or all
{{- end }}
{{- range $index, $phase := .Values.validate.phases }}
{{- if not (has $phase (list "deployment" "performance" "conformance" "all")) }}
validate.phases[{{ $index }}]: {{ $phase | quote }} is not a phase; use deployment, performance, conformance, or all
{{- end }}
{{- end }}
{{- end }}

{{- define "nvidia-aicr.guard.publish" -}}
{{- $publish := .Values.validate.publish -}}
{{- if $publish.enabled }}
{{- if not .Values.validate.enabled }}
validate.publish.enabled: is true while validate.enabled is false, so there is no evidence; set validate.enabled to true, or this to false
{{- end }}
{{- if not .Values.validate.emitEvidence }}
validate.publish.enabled: is true while validate.emitEvidence is false, so there is no evidence; set validate.emitEvidence to true, or this to false
{{- end }}
{{- with include "nvidia-aicr.refFault" $publish.ref }}
validate.publish.ref: {{ . }}
{{- end }}
{{- end }}
{{- if not (has $publish.mode (list "signed" "unsigned")) }}
validate.publish.mode: {{ $publish.mode | quote }} is not a mode; use signed or unsigned
{{- else if and $publish.enabled (eq $publish.mode "signed") (not $publish.identityTokenSecret.name) }}
validate.publish.identityTokenSecret.name: is empty, but mode signed needs an identity token; name the Secret that holds one, or set validate.publish.mode to unsigned
{{- end }}
{{- if or (not (regexMatch "^[-._a-zA-Z0-9]+$" $publish.identityTokenSecret.key)) (hasPrefix ".." $publish.identityTokenSecret.key) }}
validate.publish.identityTokenSecret.key: {{ $publish.identityTokenSecret.key | quote }} cannot be a key of a Secret; use letters, digits, -, _ and ., not .. in front
{{- end }}
{{- end }}

{{/*
What is wrong with a reference to push to, and what to do; nothing when it is one. aicr reads a first part without a
dot or a port as a repository of Docker Hub, and publishes there.
*/}}
{{- define "nvidia-aicr.refFault" -}}
{{- if eq . "" -}}
is empty; set it to where the evidence goes, for example ghcr.io/acme/aicr-evidence
{{- else if contains "@" . -}}
has an @ in it; leave the digest out, which only the content can tell, and user names too
{{- else if regexMatch "\\s" . -}}
{{ . | quote }} has a blank in it; write registry/repository or registry/repository:tag
{{- else if regexMatch "^[A-Za-z][-+.A-Za-z0-9]*://" . -}}
{{ . }} has a scheme; write the reference without it: {{ regexReplaceAll "^[^/]*//" . "" }}
{{- else if not (regexMatch "^([^/]*[.:][^/]*|localhost)/" .) -}}
{{ . }} has no registry in front; write registry/repository, for example ghcr.io/acme/aicr-evidence
{{- else if regexMatch "^[^/]*/[^:]*[A-Z]" . -}}
{{ . }} has capital letters in its repository; registries take it in lower case
{{- else if not (regexMatch "^[a-zA-Z0-9.-]+(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+(:[A-Za-z0-9_][-.A-Za-z0-9_]{0,127})?$" .) -}}
{{ . | quote }} is not an OCI reference; write host[:port]/repository[:tag]
{{- end -}}
{{- end }}

{{- define "nvidia-aicr.guard.validateArguments" -}}
{{- $words := list -}}
{{- range $word := regexSplit "[\\s\\v]+" .Values.validateFlags -1 -}}
{{- $words = append $words (dict "key" "validateFlags" "word" $word) -}}
{{- end -}}
{{- range $index, $word := .Values.validateArgs -}}
{{- $words = append $words (dict "key" (printf "validateArgs[%d]" $index) "word" (replace "\n" " " $word)) -}}
{{- end -}}
{{- range $words -}}
{{- $flag := regexFind "^--?[a-z][-a-z]*(=|$)" .word | trimAll "-=" -}}
{{- if has $flag (list "recipe" "r" "data" "output" "o" "emit-attestation") }}
{{ .key }}: {{ .word }} is a flag that the installer sets itself; remove it
{{- else if eq $flag "config" }}
{{ .key }}: {{ .word }} would bring settings past these values, another recipe among them; remove it and write what it says as flags
{{- else if eq $flag "push" }}
{{ .key }}: {{ .word }} would publish without credentials, before the verdict is kept; use validate.publish
{{- else if eq $flag "phase" }}
{{ .key }}: {{ .word }} would add to the phases; use validate.phases
{{- else if and (eq $flag "no-cluster") $.Values.validate.emitEvidence }}
{{ .key }}: {{ .word }} checks nothing, and aicr refuses to make evidence of that; remove it, or set validate.emitEvidence to false
{{- end }}
{{- end }}
{{- end }}

{{- define "nvidia-aicr.guard.upgradeFailOn" -}}
{{- range $index, $verdict := .Values.upgradeCheck.failOn }}
{{- if not (has $verdict (list "blocked" "manual" "unknown" "unversioned")) }}
upgradeCheck.failOn[{{ $index }}]: {{ $verdict | quote }} is not a verdict that can stop a run; use blocked, manual, unknown, or unversioned
{{- end }}
{{- end }}
{{- end }}
