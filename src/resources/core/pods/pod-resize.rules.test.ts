import { ruleTables } from '../../rule-table.contract.ts'
import { pods } from '../pods.ts'

const RUNNING = 'status = {containerStatuses: [{name: main, state: {running: {}}'
const REQUESTS = 'spec.containers[0].resources.requests'

/** Writes of the resize subresource, as Kubernetes 1.36.3 validates them (ValidatePodResize). */
ruleTables(pods, {
  object: `
metadata: {name: p}
spec:
  initContainers: [{name: init, image: app}]
  containers: [{name: main, image: app, resources: {requests: {cpu: "1", memory: 1Gi}}}]
`,
  parts: {
    resize: [
      [`${REQUESTS}.cpu = "2"`, `${REQUESTS}.cpu = "2"`],
      [`${REQUESTS}.cpu = "2" && spec.containers[0].image = other && metadata.labels.a = b`, `${REQUESTS}.cpu = "2"`],
      [`-${REQUESTS}.cpu`, `${REQUESTS}: Forbidden: resource requests cannot be removed`],
      [
        '-spec.containers[0].resources',
        'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
        `${REQUESTS}: Forbidden: resource requests cannot be removed`,
      ],
      [
        `${REQUESTS}[example.com/gpu] = "1"`,
        'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
        'spec: Forbidden: only cpu and memory resources are mutable',
      ],
      ['spec.containers[1] = {name: more, image: app}', 'spec.containers: Forbidden: containers may not be added or removed on resize'],
      ['-spec.initContainers', 'spec.initContainers: Forbidden: initContainers may not be added or removed on resize'],
      [
        'spec.containers[0].name = other && spec.initContainers[0].name = another',
        'spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize',
        'spec.initContainers[0].name: Forbidden: initContainers may not be renamed or reordered on resize',
      ],
      [
        'spec.containers[0] = {name: other} && -spec.initContainers',
        'spec.containers[0].image: Required value',
        'spec: Invalid value: "": Pod QOS Class may not change as a result of resizing',
        'spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize',
        'spec.initContainers: Forbidden: initContainers may not be added or removed on resize',
      ],
      [`${RUNNING}}]} -> ${RUNNING}}]} && ${REQUESTS}.cpu = "2"`, 'spec: Forbidden: Pod running on node without support for resize'],
      [`${RUNNING}, resources: {}}]} -> ${RUNNING}, resources: {}}]} && ${REQUESTS}.cpu = "2"`, `${REQUESTS}.cpu = "2"`],
      [`status = {containerStatuses: [{name: main, state: {waiting: {}}}]} -> ${REQUESTS}.cpu = "2"`, `${REQUESTS}.cpu = "2"`],
      [
        `metadata.annotations[kubernetes.io/config.mirror] = x -> metadata.annotations[kubernetes.io/config.mirror] = x && ${REQUESTS}.cpu = "2"`,
        '[]: Forbidden: static pods cannot be resized',
      ],
    ],
  },
})
