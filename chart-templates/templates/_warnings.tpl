{{/* What works but is likely not meant: one line each. Shown in the notes, repeated in the run's status. */}}
{{- define "nvidia-aicr.warnings" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- $stated := include "nvidia-aicr.hasAccelerator" (dict "Values" $v) -}}
{{- $openService := has (lower $v.service) (list "" "any") -}}
{{- if and (not $v.dataPack) (or $openService (not $v.intent) (not $v.os)) }}
{{- $open := list -}}
{{- if $openService }}{{ $open = append $open "service" }}{{ end -}}
{{- if not $v.intent }}{{ $open = append $open "intent" }}{{ end -}}
{{- if not $v.os }}{{ $open = append $open "os" }}{{ end }}
Thin criteria: {{ join ", " $open }} not stated. aicr then resolves a smaller stack than the cluster may need, and says nothing; compare the recipe's summary with what you expect.
{{- end }}
{{- if and $v.dataPack (not $stated) $openService (not $v.intent) (not $v.os) (not $v.platform) }}
A data pack is set, but no criteria are: aicr stops with "no criteria provided" unless recipeArgs or recipeFlags hold some. State those that your pack registers.
{{- end }}
{{- with include "nvidia-aicr.proofWarnings" $v | trim }}
{{ . }}
{{- end }}
{{- if ne (int64 $v.job.backoffLimit) 0 }}
job.backoffLimit is {{ int64 $v.job.backoffLimit }}: a failed pod is replaced although the installer has retried already, and helm --wait goes on waiting on a failing Job.
{{- end }}
{{- with include "nvidia-aicr.storageWarning" $v }}
{{ . }}
{{- end }}
{{- end }}

{{/* What weakens a verdict or its publication. Takes the values. */}}
{{- define "nvidia-aicr.proofWarnings" -}}
{{- $deployWords := concat (regexSplit "[\\s\\v]+" .deployFlags -1) .deployArgs -}}
{{- if and .validate.enabled .deploy.enabled (has "--no-wait" $deployWords) }}
Validation is on, but --no-wait is in {{ ternary "deployArgs" "deployFlags" (has "--no-wait" .deployArgs) }}: what is still starting fails its checks. Take --no-wait out, so that deploy.sh waits before the verdict.
{{- end }}
{{- if and .validate.enabled .validate.publish.enabled }}
{{- if not .validate.publish.registrySecret }}
validate.publish.registrySecret is empty: the evidence is pushed anonymously, which most registries refuse.
{{- end }}
{{- if eq .validate.publish.mode "signed" }}
Evidence is signed in the cluster: the identity token of Secret {{ .validate.publish.identityTokenSecret.name }} comes into a pod with the rights of {{ .rbac.clusterRole }}. Use a short-lived one made for this run; it must still be valid after install and validation.
{{- end }}
{{- end }}
{{- end }}

{{/* /tmp and the program's volume count against the container's limit of ephemeral storage. */}}
{{- define "nvidia-aicr.storageWarning" -}}
{{- $limit := dig "limits" "ephemeral-storage" "" .job.resources | include "nvidia-aicr.mebibytes" -}}
{{- $tmp := include "nvidia-aicr.mebibytes" .job.tmpSizeLimit -}}
{{- if and $limit $tmp -}}
{{- if lt (float64 $limit) (addf $tmp 512) -}}
job.resources.limits.ephemeral-storage is {{ index .job.resources.limits "ephemeral-storage" | include "nvidia-aicr.text" }}, less than job.tmpSizeLimit {{ include "nvidia-aicr.text" .job.tmpSizeLimit }} and 512Mi together: the pod is evicted before /tmp is full.
{{- end -}}
{{- end -}}
{{- end }}

{{/* A quantity in MiB; nothing for one with a unit that is not for sizes. */}}
{{- define "nvidia-aicr.mebibytes" -}}
{{- $quantity := include "nvidia-aicr.text" . -}}
{{- $number := regexFind "^[0-9]+([.][0-9]+)?" $quantity -}}
{{- $unit := trimPrefix $number $quantity -}}
{{- $mib := dict "" 0.00000095367431640625 "Ki" 0.0009765625 "Mi" 1.0 "Gi" 1024.0 "Ti" 1048576.0 "k" 0.00095367431640625 "M" 0.95367431640625 "G" 953.67431640625 "T" 953674.31640625 -}}
{{- if and $number (hasKey $mib $unit) -}}
{{- printf "%f" (mulf $number (get $mib $unit)) -}}
{{- end -}}
{{- end }}
