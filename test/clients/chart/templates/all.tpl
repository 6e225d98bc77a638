{{- define "labels" }}
app.kubernetes.io/name: harbour
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
{{- define "pod" }}
metadata:
  labels: {{- include "labels" . | nindent 4 }}
spec:
  serviceAccountName: {{ .Release.Name }}
  containers:
  - name: main
    image: app:{{ .Chart.AppVersion }}
    env:
    - {name: GREETING, value: {{ .Values.greeting | quote }}}
    resources: {requests: {cpu: 10m, memory: 16Mi}}
{{- end }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}, labels: { {{- include "labels" . | trim | replace "\n" ", " -}} }}
data: {greeting: {{ .Values.greeting | quote }}}
---
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
stringData: {greeting: {{ .Values.greeting | quote }}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .Release.Name }}}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {{- include "labels" . | nindent 4 }}
  ports: [{port: {{ .Values.port }}, targetPort: 8080}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: {{ .Release.Name }}}
spec: {accessModes: [ReadWriteOnce], storageClassName: {{ .Release.Name }}, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: {{ .Release.Name }}}
spec: {limits: [{type: Container, default: {cpu: 100m}, defaultRequest: {cpu: 10m}}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: {{ .Release.Name }}}
spec: {hard: {configmaps: "50"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app.kubernetes.io/instance: {{ .Release.Name }}}}
  template: {{- include "pod" . | nindent 4 }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: {{ .Release.Name }}}
spec:
  serviceName: {{ .Release.Name }}
  replicas: 0
  selector: {matchLabels: {app.kubernetes.io/instance: {{ .Release.Name }}}}
  template: {{- include "pod" . | nindent 4 }}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app.kubernetes.io/instance: {{ .Release.Name }}}}
  template: {{- include "pod" . | nindent 4 }}
---
{{- if .Values.batch }}
apiVersion: batch/v1
kind: CronJob
metadata: {name: {{ .Release.Name }}}
spec:
  schedule: "0 0 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: done}]
---
{{- end }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: {{ .Release.Name }}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: {{ .Release.Name }}}
  maxReplicas: 4
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: {{ .Release.Name }}}
spec: {minAvailable: 1, selector: {matchLabels: {app.kubernetes.io/instance: {{ .Release.Name }}}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: {{ .Release.Name }}}
spec:
  rules:
  - host: harbour.example.com
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: {{ .Release.Name }}, port: {number: {{ .Values.port }}}}}}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: {{ .Release.Name }}}
spec: {podSelector: {}, policyTypes: [Ingress]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: {{ .Release.Name }}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: {{ .Release.Name }}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .Release.Name }}}
subjects: [{kind: ServiceAccount, name: {{ .Release.Name }}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: {{ .Release.Name }}}
rules: [{apiGroups: [""], resources: [nodes], verbs: [get]}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: {{ .Release.Name }}}
value: 1000
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: {{ .Release.Name }}}
provisioner: example.com/none
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: {{ .Release.Name }}, labels: {kubernetes.io/service-name: other}}
addressType: IPv4
endpoints: [{addresses: [192.0.2.1]}]
