/** A pod of about 1.5 KB once defaulted, as they are in real clusters. */
export function pod(name: string, extra: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'bench', 'app.kubernetes.io/part-of': 'bench' } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.example/app:1.2.3',
          env: [{ name: 'A', value: 'b' }],
          resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '32Mi' } },
        },
      ],
      ...extra,
    },
  })
}

export function node(name: string): string {
  const amounts = { cpu: '32', memory: '128Gi', pods: '110', 'ephemeral-storage': '100Gi' }
  const status = { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] }
  return JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name } }, status })
}
