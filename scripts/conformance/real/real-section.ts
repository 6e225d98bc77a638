import type { SectionText } from '../report.ts'

/**
 * Specs of each group: those of the suite, those that the real kubelet 1.36.3 was tried with on two nodes of the same kind (with kube-proxy
 * and CoreDNS; not those that must run alone), and those of them that passed there.
 */
const KUBELET: Readonly<Record<string, readonly [suite: number, ran: number, passed: number]>> = {
  'sig-api-machinery': [99, 90, 85],
  'sig-apps': [60, 52, 51],
  'sig-architecture': [1, 1, 1],
  'sig-auth': [10, 10, 9],
  'sig-cli': [17, 17, 16],
  'sig-instrumentation': [4, 4, 4],
  'sig-network': [47, 47, 47],
  'sig-node': [106, 106, 105],
  'sig-scheduling': [11, 2, 2],
  'sig-storage': [91, 90, 90],
  all: [446, 419, 410],
}

export const REAL: SectionText = {
  title: 'Real nodes',
  about: [
    '`npm run conformance -- --real --write` runs the suite against two real nodes: two machines in namespaces of this one, each with containerd and `bowsprit node` in the place of a kubelet, kube-proxy and CoreDNS, and `bowsprit up` beside the first. It needs root, containerd, Go and apt; the images of the suite are built here, and no registry is asked.',
    '`of` is what ran; the rest of a group, and groups without a row, did not run. The last columns are the size of the group, and what ran and passed with the real kubelet 1.36.3, kube-proxy and CoreDNS on such machines.',
  ],
  more: {
    head: ['suite has', 'kubelet ran', 'kubelet passed'],
    of: (group) => (KUBELET[group] ?? []).map(String),
  },
}
