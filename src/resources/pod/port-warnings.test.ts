import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portWarnings } from './port-warnings.ts'
import type { ContainerPort, PodSpec } from './types.ts'

const AT = 'spec.containers[1].ports[0]'
const FIRST = 'spec.containers[0].ports[0]'
const port = (more: ContainerPort): ContainerPort => ({ containerPort: 80, protocol: 'TCP', ...more })

for (const [title, a, b, wanted] of [
  ['the same port', {}, {}, `${AT}: duplicate port definition with ${FIRST}`],
  ['the same port of the host', { hostPort: 1 }, { hostPort: 1 }, `${AT}: duplicate port definition with ${FIRST}`],
  ['a port of the host and none', { hostPort: 1 }, {}, `${AT}: overlapping port definition with ${FIRST}`],
  [
    'a port on one address and on all',
    { hostPort: 1, hostIP: '1.1.1.1' },
    { hostPort: 1 },
    `${AT}: dangerously ambiguous port definition with ${FIRST}`,
  ],
  ['other ports of the host', { hostPort: 1 }, { hostPort: 2 }, undefined],
  ['another protocol', {}, { protocol: 'UDP' }, undefined],
  [
    'an address without a port',
    {},
    { containerPort: 8, hostIP: '1.1.1.1' },
    `${AT}: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:8 Protocol:TCP HostIP:1.1.1.1}`,
  ],
  [
    'the same name',
    { name: 'web' },
    { name: 'web', containerPort: 81 },
    `${AT}: duplicate port name "web" with ${FIRST}, services and probes that select ports by name will use ${FIRST}`,
  ],
] as const satisfies readonly (readonly [string, ContainerPort, ContainerPort, string | undefined])[])
  test(`${title} in two containers: ${wanted === undefined ? 'no warning' : 'a warning'}`, () => {
    const spec: PodSpec = {
      containers: [
        { name: 'a', ports: [port(a)] },
        { name: 'b', ports: [port(b)] },
      ],
    }
    assert.deepEqual(portWarnings(spec, 'spec'), wanted === undefined ? [] : [wanted])
  })
