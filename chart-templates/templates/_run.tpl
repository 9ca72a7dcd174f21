{{/*
run.json: what the run shall do, as pretty JSON with sorted keys. The runner checks it against its schema, which
names every key. Nothing here is taken apart or quoted for a shell: the runner hands arguments over as a list.
*/}}
{{- define "nvidia-aicr.run" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- $packAuth := $v.dataPackAuth.dockerconfigjson -}}
{{- $publish := $v.validate.publish -}}
{{- $secretVariables := list -}}
{{- $plainVariables := list -}}
{{- range $v.job.extraEnv -}}
{{- if ((.valueFrom).secretKeyRef).name -}}
{{- $secretVariables = append $secretVariables .name -}}
{{- else -}}
{{- $plainVariables = append $plainVariables .name -}}
{{- end -}}
{{- end -}}
{{- $fromSecrets := false -}}
{{- range $v.job.extraEnvFrom }}{{ if .secretRef }}{{ $fromSecrets = true }}{{ end }}{{ end -}}
{{- $run := dict
  "version" 1
  "chart" (dict "version" .Chart.Version)
  "release" (dict
    "name" .Release.Name
    "namespace" .Release.Namespace
    "fullname" (include "nvidia-aicr.fullname" .)
  )
  "run" (dict
    "id" (include "nvidia-aicr.text" $v.runId)
    "revision" (ternary .Release.Revision 0 $v.job.rerunOnUpgrade)
  )
  "aicr" (dict
    "version" (include "nvidia-aicr.aicrVersion" $v.aicrVersion)
    "arch" $v.aicrArch
    "sha256" (dict
      "amd64" (include "nvidia-aicr.sha256" (dict "pins" $v.aicrSha256 "arch" "amd64"))
      "arm64" (include "nvidia-aicr.sha256" (dict "pins" $v.aicrSha256 "arch" "arm64"))
    )
    "baseUrl" ($v.aicrSource.baseUrl | trimAll "/")
  )
  "criteria" (dict
    "service" $v.service
    "accelerator" $v.accelerator
    "intent" $v.intent
    "os" $v.os
    "platform" $v.platform
  )
  "pack" (dict
    "ref" $v.dataPack
    "plainHTTP" $v.dataPackPlainHTTP
    "insecureTLS" $v.dataPackInsecureTLS
    "secret" (include "nvidia-aicr.packSecret" .)
    "authDigest" (ternary ($packAuth | sha256sum) "" (and (ne $v.dataPack "") (ne $packAuth "")))
  )
  "recipe" (dict "args" $v.recipeArgs "flags" $v.recipeFlags "configMap" $v.recipeConfigMap)
  "bundle" (dict
    "args" $v.bundleArgs
    "flags" $v.bundleFlags
    "storageClass" $v.storageClass
    "preinstalledDriver" $v.environment.preinstalledDriver
  )
  "deploy" (dict
    "enabled" $v.deploy.enabled
    "args" $v.deployArgs
    "flags" $v.deployFlags
    "existingReleases" $v.deploy.existingReleases
    "allowDowngrade" $v.deploy.allowDowngrade
  )
  "upgradeCheck" (dict
    "enabled" $v.upgradeCheck.enabled
    "failOn" $v.upgradeCheck.failOn
    "configMap" $v.upgradeCheck.configMap
  )
  "validate" (dict
    "enabled" $v.validate.enabled
    "phases" $v.validate.phases
    "failOnError" $v.validate.failOnError
    "configMap" $v.validate.resultConfigMap
    "args" $v.validateArgs
    "flags" $v.validateFlags
    "emitEvidence" $v.validate.emitEvidence
    "evidenceConfigMap" $v.validate.evidenceConfigMap
    "publish" (dict
      "enabled" $publish.enabled
      "mode" $publish.mode
      "ref" $publish.ref
      "identityToken" (dict
        "secret" (include "nvidia-aicr.identityTokenSecret" .)
        "key" $publish.identityTokenSecret.key
      )
      "registrySecret" (include "nvidia-aicr.publishSecret" .)
      "failOnError" $publish.failOnError
      "insecureTLS" $publish.insecureTLS
      "plainHTTP" $publish.plainHTTP
    )
  )
  "environment" (dict "secret" $secretVariables "plain" $plainVariables "fromSecrets" $fromSecrets)
  "status" (dict "configMap" (include "nvidia-aicr.statusName" .))
  "lock" (dict
    "namespace" $v.lock.namespace
    "waitSeconds" (ternary nil $v.lock.waitSeconds (eq (toString $v.lock.waitSeconds) ""))
  )
  "rbac" (dict "clusterRole" $v.rbac.clusterRole)
  "warnings" (include "nvidia-aicr.warnings" . | splitList "\n" | compact)
-}}
{{- include "nvidia-aicr.plainJson" $run -}}
{{- end }}

{{/*
JSON that passes through any YAML and through Flux's substitution of ${NAME} unchanged: dollars and what YAML does
not allow as it is are written as \uXXXX.
*/}}
{{- define "nvidia-aicr.plainJson" -}}
{{- $json := toPrettyJson . | replace "$" "\\u0024" | replace "\x7f" "\\u007f" -}}
{{- range regexFindAll "[\\x{80}-\\x{9f}\\x{feff}\\x{fffe}\\x{ffff}]" $json -1 | uniq -}}
{{- $json = $json | replace . (printf "%+q" . | trimAll "\"") -}}
{{- end -}}
{{- $json -}}
{{- end }}

{{/* A release tag with its v. */}}
{{- define "nvidia-aicr.aicrVersion" -}}
v{{ toString . | trim | trimPrefix "v" }}
{{- end }}

{{/* The pin of one CPU kind: lower-case hex, or nothing. Takes (dict "pins" $v.aicrSha256 "arch" "amd64"). */}}
{{- define "nvidia-aicr.sha256" -}}
{{- if kindIs "map" .pins -}}
{{- get .pins .arch | toString | trim | lower | trimPrefix "sha256:" -}}
{{- end -}}
{{- end }}

{{/* Secret that opens the pack's registry; empty when there is no pack, or it is public. */}}
{{- define "nvidia-aicr.packSecret" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- if and $v.dataPack $v.dataPackAuth.dockerconfigjson -}}
{{- include "nvidia-aicr.packAuthName" . -}}
{{- else if $v.dataPack -}}
{{- $v.dataPackSecret -}}
{{- end -}}
{{- end }}

{{/* Secret that may push the evidence; empty when nothing is published, or anonymously. */}}
{{- define "nvidia-aicr.publishSecret" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- if and $v.validate.enabled $v.validate.publish.enabled -}}
{{- $v.validate.publish.registrySecret -}}
{{- end -}}
{{- end }}

{{/* Secret with the identity token; empty unless evidence is published signed. */}}
{{- define "nvidia-aicr.identityTokenSecret" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- if and $v.validate.enabled $v.validate.publish.enabled (eq $v.validate.publish.mode "signed") -}}
{{- $v.validate.publish.identityTokenSecret.name -}}
{{- end -}}
{{- end }}
