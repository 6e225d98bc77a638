import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declaredPorts } from './declared-ports.ts'

type Definition = Parameters<typeof declaredPorts>[0]

const ROWS: readonly (readonly [what: string, definition: Omit<Definition, 'name' | 'image'>, ports: readonly number[]])[] = [
  ['nothing', {}, []],
  ['a port', { ports: [{ containerPort: 80 }] }, [80]],
  [
    'ports of other protocols are left out',
    {
      ports: [
        { containerPort: 53, protocol: 'UDP' },
        { containerPort: 54, protocol: 'TCP' },
      ],
    },
    [54],
  ],
  ['the port of a probe', { livenessProbe: { httpGet: { port: 8080 } } }, [8080]],
  ['a port by its name', { ports: [{ name: 'web', containerPort: 80 }], readinessProbe: { httpGet: { port: 'web' } } }, [80]],
  ['a name that nothing has', { readinessProbe: { tcpSocket: { port: 'none' } } }, []],
  ['a port once', { ports: [{ containerPort: 80 }], startupProbe: { tcpSocket: { port: 80 } } }, [80]],
  ['a probe of gRPC', { livenessProbe: { grpc: { port: 5000 } } }, [5000]],
  ['a probe that runs a command', { livenessProbe: { exec: { command: ['true'] } } }, []],
]
for (const [what, definition, ports] of ROWS)
  test(`ports at which a container answers: ${what}`, () => {
    assert.deepEqual(declaredPorts({ name: 'c', image: 'i', ...definition }), ports)
  })
