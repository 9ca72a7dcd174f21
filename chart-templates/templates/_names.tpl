{{/*
Prefix of the objects' names: fullnameOverride or the release's name. With a word behind it, it needs no quotes; alone
it may be a number, and `1e-0123456789` is one too.
*/}}
{{- define "nvidia-aicr.fullname" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 63 | trimAll "-." -}}
{{- end }}

{{/* ServiceAccount of the pod. */}}
{{- define "nvidia-aicr.serviceAccountName" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- if $v.serviceAccount.name -}}
{{- $v.serviceAccount.name -}}
{{- else if $v.serviceAccount.create -}}
{{- include "nvidia-aicr.fullname" . }}-installer
{{- else -}}
default
{{- end -}}
{{- end }}

{{/*
The binding is cluster-wide, so two releases of one name in two namespaces need two; and a binding's role cannot be
changed, so another role needs another binding.
*/}}
{{- define "nvidia-aicr.clusterRoleBindingName" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- $owner := printf "%s/%s/%s" .Release.Namespace .Release.Name $v.rbac.clusterRole -}}
{{- include "nvidia-aicr.fullname" . }}-{{ $owner | sha256sum | trunc 10 -}}
{{- end }}

{{/* Secret made of dataPackAuth.dockerconfigjson. */}}
{{- define "nvidia-aicr.packAuthName" -}}
{{- include "nvidia-aicr.fullname" . }}-pack-auth
{{- end }}

{{/* ConfigMap of the program, named by its content. */}}
{{- define "nvidia-aicr.programName" -}}
{{- $content := print (.Files.Get "program/runner.mjs.br") (.Files.Get "program/handover.mjs") -}}
{{- include "nvidia-aicr.fullname" . }}-runner-{{ $content | sha256sum | trunc 10 -}}
{{- end }}

{{/* ConfigMap of run.json, named by its content. */}}
{{- define "nvidia-aicr.runName" -}}
{{- include "nvidia-aicr.fullname" . }}-run-{{ include "nvidia-aicr.run" . | sha256sum | trunc 10 -}}
{{- end }}

{{/* ConfigMap of the status document; empty when none is written. */}}
{{- define "nvidia-aicr.statusName" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- if eq $v.statusConfigMap "" -}}
{{- include "nvidia-aicr.fullname" . }}-status
{{- else if ne $v.statusConfigMap "none" -}}
{{- $v.statusConfigMap -}}
{{- end -}}
{{- end }}

{{/*
Name of the Job. A Job's spec is immutable, so another spec needs another name, and the same spec must keep its
name: Flux and Argo CD render again and again. The two fields left out can be changed in place.
The hash is never cut off; dots go because the name becomes the pod's host name.
*/}}
{{- define "nvidia-aicr.jobName" -}}
{{- $spec := omit (include "nvidia-aicr.jobSpec" . | fromYaml) "activeDeadlineSeconds" "ttlSecondsAfterFinished" -}}
{{- $prefix := include "nvidia-aicr.fullname" . | replace "." "-" | trunc 44 | trimAll "-" -}}
{{- $prefix }}-install-{{ $spec | toJson | sha256sum | trunc 10 -}}
{{- end }}
