/**
 * `node bench/real-nodes.ts [PODS [KUBELET [ONE_BY_ONE]]]`: a node of its own process (`bowsprit node`) on containerd, with an image that
 * is there: how long pods take from their creation until they are Ready, one after the other and many at once, and what the agent costs at
 * rest. With the program of a real kubelet (`oracle/build.sh`) the same is measured of it, on the same containerd, afterwards. Needs root
 * and containerd (`test/real-nodes/found-runtime.ts`); everything runs in namespaces that go with it.
 */
import path from 'node:path'
import { inNamespaces } from '../test/real-nodes/in-namespaces.ts'

process.exitCode = await inNamespaces(path.join(import.meta.dirname, '..', 'test', 'real-nodes', 'measure.ts'), process.argv.slice(2))
