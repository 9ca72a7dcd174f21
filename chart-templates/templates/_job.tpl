{{/*
The Job's spec. Its name is a hash of this, so nothing may be in here that differs between two renders of the same
values: no revision, no clock, no look at the cluster, no label with the chart's version.
*/}}
{{- define "nvidia-aicr.jobSpec" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
activeDeadlineSeconds: {{ $v.job.activeDeadlineSeconds | int64 }}
backoffLimit: {{ $v.job.backoffLimit | int64 }}
{{- if ne (toString $v.job.ttlSecondsAfterFinished) "" }}
ttlSecondsAfterFinished: {{ $v.job.ttlSecondsAfterFinished | int64 }}
{{- end }}
# The next pod starts only when the one before has ended: two installers would fight over the same releases.
podReplacementPolicy: Failed
podFailurePolicy:
  rules:
    # An evicted or preempted pod is replaced, and does not count.
    - action: Ignore
      onPodConditions:
        - type: DisruptionTarget
          status: "True"
    {{- if eq (int64 $v.job.backoffLimit) 0 }}
    # Whatever else went wrong, the installer has already retried what can be retried.
    - action: FailJob
      onExitCodes:
        containerName: installer
        operator: NotIn
        values: [0]
    {{- end }}
template:
  metadata:
    labels:
      {{- include "nvidia-aicr.podLabels" . | nindent 6 }}
    annotations:
      {{- include "nvidia-aicr.podAnnotations" . | nindent 6 }}
  spec:
    {{- include "nvidia-aicr.podSpec" . | nindent 4 }}
{{- end }}

{{- define "nvidia-aicr.podSpec" -}}
{{- $v := include "nvidia-aicr.values" . | fromJson -}}
{{- include "nvidia-aicr.dropEmpty" $v.job.podSecurityContext -}}
{{- include "nvidia-aicr.dropEmpty" $v.job.securityContext -}}
restartPolicy: Never
terminationGracePeriodSeconds: {{ $v.job.terminationGracePeriodSeconds | int64 }}
serviceAccountName: {{ include "nvidia-aicr.serviceAccountName" . | quote }}
# The token is mounted by hand below, into the installer only: the init containers have no business with it.
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $v.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ if kindIs "map" . }}{{ .name | quote }}{{ else }}{{ . | quote }}{{ end }}
  {{- end }}
{{- end }}
nodeSelector:
  {{- include "nvidia-aicr.textMap" (list (dict "kubernetes.io/os" "linux") $v.job.nodeSelector) | nindent 2 }}
affinity:
  {{- with $v.job.affinity }}
  {{- toYaml . | nindent 2 }}
  {{- else }}
  # Nodes without a GPU first: the driver install evicts what runs on its node.
  nodeAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        preference:
          matchExpressions:
            - {key: nvidia.com/gpu.present, operator: DoesNotExist}
            - {key: feature.node.kubernetes.io/pci-10de.present, operator: DoesNotExist}
            - {key: cloud.google.com/gke-accelerator, operator: DoesNotExist}
            - {key: k8s.amazonaws.com/accelerator, operator: DoesNotExist}
  {{- end }}
{{- with $v.job.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $v.job.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with $v.job.runtimeClassName }}
runtimeClassName: {{ . | quote }}
{{- end }}
{{- with $v.job.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $v.job.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
initContainers:
  # Puts node, its libraries and the unpacked program into /runner.
  - name: node
    image: {{ $v.nodeImage | quote }}
    imagePullPolicy: {{ $v.imagePullPolicy }}
    command: [node, /program/handover.mjs, node]
    {{- include "nvidia-aicr.confinement" $v | nindent 4 }}
    volumeMounts:
      - {name: program, mountPath: /program, readOnly: true}
      - {name: runner, mountPath: /runner}
  {{- if $v.dataPack }}
  # Puts oras beside them. The loader, library path and node are those that the first one copied.
  - name: oras
    image: {{ $v.orasImage | quote }}
    imagePullPolicy: {{ $v.imagePullPolicy }}
    command: [/runner/loader, --library-path, /runner, /runner/node, /runner/handover.mjs, oras]
    {{- include "nvidia-aicr.confinement" $v | nindent 4 }}
    volumeMounts:
      - {name: runner, mountPath: /runner}
  {{- end }}
containers:
  - name: installer
    image: {{ $v.runtimeImage | quote }}
    imagePullPolicy: {{ $v.imagePullPolicy }}
    command: [/runner/loader, --library-path, /runner, /runner/node, /runner/runner.mjs]
    {{- include "nvidia-aicr.confinement" $v | nindent 4 }}
    env:
      {{- include "nvidia-aicr.env" . | nindent 6 }}
      {{- range $v.job.extraEnv }}
      - name: {{ .name | quote }}
        {{- if .valueFrom }}
        valueFrom:
          {{- toYaml .valueFrom | nindent 10 }}
        {{- else }}
        value: {{ if kindIs "invalid" .value }}""{{ else }}{{ include "nvidia-aicr.envText" .value | quote }}{{ end }}
        {{- end }}
      {{- end }}
    {{- with $v.job.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    volumeMounts:
      - {name: runner, mountPath: /runner, readOnly: true}
      - {name: run-spec, mountPath: /run-spec, readOnly: true}
      - {name: tmp, mountPath: /tmp}
      - {name: api-access, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
      {{- if include "nvidia-aicr.packSecret" . }}
      - {name: pack-auth, mountPath: /secrets/pack, readOnly: true}
      {{- end }}
      {{- if include "nvidia-aicr.publishSecret" . }}
      - {name: publish-auth, mountPath: /secrets/publish, readOnly: true}
      {{- end }}
      {{- if include "nvidia-aicr.identityTokenSecret" . }}
      - {name: identity-token, mountPath: /secrets/identity-token, readOnly: true}
      {{- end }}
      {{- with $v.job.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - name: program
    configMap:
      name: {{ include "nvidia-aicr.programName" . }}
  - name: run-spec
    configMap:
      name: {{ include "nvidia-aicr.runName" . }}
  - name: runner
    emptyDir:
      sizeLimit: 512Mi
  - name: tmp
    emptyDir:
      sizeLimit: {{ include "nvidia-aicr.text" $v.job.tmpSizeLimit | quote }}
  # What automountServiceAccountToken would mount, with the same paths.
  - name: api-access
    projected:
      sources:
        - serviceAccountToken:
            path: token
            expirationSeconds: 3607
        - configMap:
            name: kube-root-ca.crt
            items:
              - {key: ca.crt, path: ca.crt}
        - downwardAPI:
            items:
              - path: namespace
                fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}
  # The pod starts without these Secrets; the installer waits for them and says so. Each is mounted as it is, without
  # items: so one with a wrong key can be told from one that has not landed.
  {{- with include "nvidia-aicr.packSecret" . }}
  - name: pack-auth
    secret:
      secretName: {{ . | quote }}
      optional: true
      defaultMode: 288 # 0440
  {{- end }}
  {{- with include "nvidia-aicr.publishSecret" . }}
  - name: publish-auth
    secret:
      secretName: {{ . | quote }}
      optional: true
      defaultMode: 288 # 0440
  {{- end }}
  {{- with include "nvidia-aicr.identityTokenSecret" . }}
  - name: identity-token
    secret:
      secretName: {{ . | quote }}
      optional: true
      defaultMode: 288 # 0440
  {{- end }}
  {{- with $v.job.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/*
What every container has in common. Takes the values. Quantities as texts: 2 and "2" are the same one, and the same Job.
*/}}
{{- define "nvidia-aicr.confinement" -}}
{{- with .job.securityContext -}}
securityContext:
  {{- toYaml . | nindent 2 }}
{{ end -}}
{{- with .job.resources -}}
resources:
  {{- range $kind, $quantities := . }}
  {{ $kind }}:
    {{- include "nvidia-aicr.textMap" (list $quantities) | nindent 4 }}
  {{- end }}
{{ end -}}
terminationMessagePolicy: FallbackToLogsOnError
{{- end }}

{{/*
Environment of the installer. Every tool's home, cache and configuration lies below /tmp, the only folder that can
be written to: with an unknown user id HOME would be /.
*/}}
{{- define "nvidia-aicr.env" -}}
- {name: HOME, value: /tmp/home}
- {name: TMPDIR, value: /tmp}
- {name: XDG_CACHE_HOME, value: /tmp/home/.cache}
- {name: XDG_CONFIG_HOME, value: /tmp/home/.config}
- {name: XDG_DATA_HOME, value: /tmp/home/.local/share}
- {name: HELM_CACHE_HOME, value: /tmp/home/.cache/helm}
- {name: HELM_CONFIG_HOME, value: /tmp/home/.config/helm}
- {name: HELM_DATA_HOME, value: /tmp/home/.local/share/helm}
- {name: NODE_EXTRA_CA_CERTS, value: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt}
- name: POD_NAME
  valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}
- name: POD_NAMESPACE
  valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}}
- name: POD_UID
  valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.uid}}
- name: NODE_NAME
  valueFrom: {fieldRef: {apiVersion: v1, fieldPath: spec.nodeName}}
- name: JOB_NAME
  valueFrom: {fieldRef: {apiVersion: v1, fieldPath: "metadata.labels['batch.kubernetes.io/job-name']"}}
{{- end }}
