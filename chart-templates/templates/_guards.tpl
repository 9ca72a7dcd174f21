{{/*
What the schema cannot refuse, or could only refuse in words that do not help. A guard yields nothing, or one line
for each fault, `key: what is wrong; what to do`. All lines come out at once. What a user wrote may have lines of its
own: it is quoted, or put into one line.

Guards see the complete values as .Values, and as .Given what the user gave.
*/}}
{{- define "nvidia-aicr.guards" -}}
{{- $context := dict
  "Values" (include "nvidia-aicr.values" . | fromJson)
  "Given" .Values
  "Fullname" (include "nvidia-aicr.fullname" .)
  "StatusName" (include "nvidia-aicr.statusName" .)
-}}
{{- $guards := list
  "criteria"
  "intentWithoutService"
  "dataPack"
  "dataPackAuth"
  "baseUrl"
  "aicrVersion"
  "aicrSha256"
  "k0sContainerd"
  "deployEnabled"
  "phases"
  "publish"
  "upgradeFailOn"
  "validateArguments"
  "configMapNames"
  "lockNamespace"
  "extraEnv"
  "extraVolumes"
-}}
{{- $lines := list -}}
{{- range $guard := $guards -}}
{{- range include (printf "nvidia-aicr.guard.%s" $guard) $context | splitList "\n" -}}
{{- $lines = append $lines . -}}
{{- end -}}
{{- end -}}
{{- with compact $lines -}}
{{- fail (printf "\n\n%s\n" (join "\n" .)) -}}
{{- end -}}
{{- end }}

{{/* Whether an accelerator is stated: `any` is none. */}}
{{- define "nvidia-aicr.hasAccelerator" -}}
{{- if not (has (lower .Values.accelerator) (list "" "any")) }}true{{ end -}}
{{- end }}

{{/* Whether the service is one that recipes are written for; the last three are other names of `generic`. */}}
{{- define "nvidia-aicr.hasConcreteService" -}}
{{- if not (has (lower .Values.service) (list "" "any" "self-managed" "self" "vanilla")) }}true{{ end -}}
{{- end }}

{{- define "nvidia-aicr.guard.criteria" -}}
{{- $serviceAndIntent := and (include "nvidia-aicr.hasConcreteService" .) .Values.intent -}}
{{- if not (or (include "nvidia-aicr.hasAccelerator" .) .Values.dataPack $serviceAndIntent) -}}
{{- $what := "no criteria are stated" -}}
{{- if .Values.accelerator }}{{ $what = printf "%s counts as not stated, and nothing else is" .Values.accelerator }}{{ end -}}
accelerator: {{ $what }}; set accelerator (for example h100), or dataPack, or a concrete service together with intent
{{- end -}}
{{- end }}

{{- define "nvidia-aicr.guard.intentWithoutService" -}}
{{- if and .Values.intent (has (lower .Values.service) (list "" "any")) (not .Values.dataPack) -}}
{{- $elsewhere := regexMatch "(^|[\\s\\v])--?(service|data|snapshot|config)(=|[\\s\\v]|$)" .Values.recipeFlags -}}
{{- range .Values.recipeArgs -}}
{{- if regexMatch "^--?(service|data|snapshot|config)(=|$)" . }}{{ $elsewhere = true }}{{ end -}}
{{- end -}}
{{- if not $elsewhere -}}
intent: {{ .Values.intent }} is refused by aicr with service any; set service to one that has a recipe for it (aks, bcm, cks, eks, gke, k0s, kind, lke, ocp, oke, rke2), or set dataPack, or leave intent empty
{{- end -}}
{{- end -}}
{{- end }}

{{- define "nvidia-aicr.guard.dataPack" -}}
{{- $digest := regexFind "@sha(256|512):[0-9a-f]+" .Values.dataPack -}}
{{- if trimSuffix $digest .Values.dataPack | contains "@" }}
dataPack: has an @ with no digest behind it; write registry/repository:tag or registry/repository@sha256:digest, and give user name and password in dataPackSecret
{{- else if regexMatch "\\s" .Values.dataPack }}
dataPack: {{ .Values.dataPack | quote }} has a blank in it; write registry/repository:tag or registry/repository@sha256:digest
{{- else if regexMatch "^[A-Za-z][-+.A-Za-z0-9]*://" .Values.dataPack }}
dataPack: {{ .Values.dataPack }} has a scheme; write the reference without it: {{ regexReplaceAll "^[^/]*//" .Values.dataPack "" }}
{{- end }}
{{- end }}

{{- define "nvidia-aicr.guard.dataPackAuth" -}}
{{- with .Values.dataPackAuth.dockerconfigjson }}
{{- if $.Values.dataPackSecret }}
dataPackAuth.dockerconfigjson: stands beside dataPackSecret; give one of the two
{{- end }}
{{- if hasKey (fromJson .) "Error" }}
dataPackAuth.dockerconfigjson: is not a JSON object; give the text of a docker config.json as it is, not base64
{{- end }}
{{- end }}
{{- end }}

{{- define "nvidia-aicr.guard.baseUrl" -}}
{{- $url := .Values.aicrSource.baseUrl -}}
{{- if regexMatch "^[^/]*//[^/?#]*@" $url }}
aicrSource.baseUrl: has a user name or password, which would stand in a ConfigMap; use a mirror that asks for none
{{- else if regexMatch "[?#]" $url }}
aicrSource.baseUrl: has a query or a fragment, which would swallow the file name; write the folder above the release tag, for example https://mirror.example.com/aicr
{{- end }}
{{- end }}

{{- define "nvidia-aicr.guard.aicrVersion" -}}
{{- if not (kindIs "string" .Values.aicrVersion) }}
aicrVersion: is a {{ include "nvidia-aicr.kind" .Values.aicrVersion }}, in which zeros get lost; quote it, for example "v1.2.0"
{{- else if not (regexMatch "^\\s*v?[0-9]+[.][0-9]+[.][0-9]+([-+][-+.0-9A-Za-z]+)?\\s*$" .Values.aicrVersion) }}
aicrVersion: {{ .Values.aicrVersion | quote }} is not a release tag; write all three numbers, for example v1.2.0
{{- end }}
{{- end }}

{{- define "nvidia-aicr.guard.aicrSha256" -}}
{{- $pins := .Values.aicrSha256 }}
{{- if not (kindIs "map" $pins) }}
aicrSha256: is a {{ include "nvidia-aicr.kind" $pins }}, but each CPU kind has its own archive; write {amd64: <sha256>, arm64: <sha256>}
{{- else }}
{{- range $arch, $pin := $pins }}
{{- if not (has $arch (list "amd64" "arm64")) }}
aicrSha256.{{ regexReplaceAll "\\s" $arch "_" }}: is not a CPU kind that aicr is released for; use amd64 or arm64
{{- else if not (kindIs "string" $pin) }}
aicrSha256.{{ $arch }}: is a {{ include "nvidia-aicr.kind" $pin }}; quote it
{{- else if not (regexMatch "^([sS][hH][aA]256:)?[0-9a-fA-F]{64}$|^$" (trim $pin)) }}
aicrSha256.{{ $arch }}: {{ $pin | quote }} is not a sha256; write its 64 hexadecimal digits, with or without sha256: in front
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "nvidia-aicr.guard.k0sContainerd" -}}
{{- $environment := .Given.environment -}}
{{- if and (hasKey $environment "k0sContainerd") (not (has (toJson $environment.k0sContainerd) (list "null" "false"))) -}}
environment.k0sContainerd: environment.k0sContainerd was removed in chart 0.3.0; remove it and use service: k0s, which sets the same containerd paths
{{- end -}}
{{- end }}

{{- define "nvidia-aicr.guard.extraEnv" -}}
{{- $taken := list -}}
{{- range include "nvidia-aicr.env" . | fromYamlArray }}{{ $taken = append $taken .name }}{{ end -}}
{{- $taken = concat $taken (list "DOCKER_CONFIG" "KUBECONFIG" "KUBECONFIG_FLAG" "KUBE_CONTEXT" "DRY_RUN_FLAG" "COSIGN_IDENTITY_TOKEN" "NODE_OPTIONS") -}}
{{- $seen := list -}}
{{- range $index, $variable := .Values.job.extraEnv }}
{{- if or (has .name $taken) (hasPrefix "HELM_" .name) (hasPrefix "XDG_" .name) }}
job.extraEnv[{{ $index }}]: {{ .name }} is a variable that the installer sets or must not inherit; remove it
{{- else if has .name $seen }}
job.extraEnv[{{ $index }}]: {{ .name }} is named twice; keep one
{{- end }}
{{- if and (hasKey . "value") (hasKey . "valueFrom") }}
job.extraEnv[{{ $index }}]: {{ .name }} has both value and valueFrom; keep one
{{- end }}
{{- $seen = append $seen .name }}
{{- end }}
{{- end }}

{{- define "nvidia-aicr.guard.extraVolumes" -}}
{{- $volumes := list "program" "run-spec" "runner" "tmp" "api-access" "pack-auth" "publish-auth" "identity-token" -}}
{{- range $index, $volume := .Values.job.extraVolumes }}
{{- if has .name $volumes }}
job.extraVolumes[{{ $index }}]: {{ .name }} is a volume of the chart; choose another name
{{- end }}
{{- end }}
{{- $paths := list "/program" "/run-spec" "/runner" "/tmp" "/secrets/pack" "/secrets/publish" "/secrets/identity-token" "/var/run/secrets/kubernetes.io/serviceaccount" -}}
{{- range $index, $mount := .Values.job.extraVolumeMounts }}
{{- if has (toString .mountPath | trimSuffix "/") $paths }}
job.extraVolumeMounts[{{ $index }}]: {{ .mountPath }} is a folder of the installer; choose another
{{- end }}
{{- end }}
{{- end }}

{{/* What a value is, in a word for messages. */}}
{{- define "nvidia-aicr.kind" -}}
{{- if kindIs "bool" . }}boolean{{ else if kindIs "string" . }}text{{ else if kindIs "slice" . }}list{{ else if kindIs "map" . }}map{{ else }}number{{ end -}}
{{- end }}
