{{/*
Labels of the chart's objects. The pod has its own: one that moves with the chart's version would rename the Job.
*/}}
{{- define "nvidia-aicr.labels" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- $own := dict
  "helm.sh/chart" (printf "nvidia-aicr-%s" .Chart.Version | replace "+" "_" | trunc 63 | trimAll "-._")
  "app.kubernetes.io/name" ($v.nameOverride | default "nvidia-aicr" | trunc 63 | trimAll "-._")
  "app.kubernetes.io/instance" .Release.Name
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/component" "installer"
  "app.kubernetes.io/managed-by" .Release.Service
-}}
{{- include "nvidia-aicr.textMap" (list $v.commonLabels $own) -}}
{{- end }}

{{/*
Labels of the pod. k0rdent holds a finished pod that carries app.kubernetes.io/name or instance against the
service, so these stand on the Job only.
*/}}
{{- define "nvidia-aicr.podLabels" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- $own := dict "app.kubernetes.io/component" "installer" "nvidia-aicr/release" .Release.Name -}}
{{- include "nvidia-aicr.textMap" (list $v.job.podLabels $own) -}}
{{- end }}

{{/* Annotations of the pod: the autoscalers leave it alone, and kubectl logs finds the installer. */}}
{{- define "nvidia-aicr.podAnnotations" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- $own := dict
  "cluster-autoscaler.kubernetes.io/safe-to-evict" "false"
  "karpenter.sh/do-not-disrupt" "true"
  "kubectl.kubernetes.io/default-container" "installer"
-}}
{{- include "nvidia-aicr.textMap" (list $own $v.job.podAnnotations) -}}
{{- end }}
