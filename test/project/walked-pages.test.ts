/** Pages of `docs/` with commands and their output, walked with the real kubectl. */
import { test } from 'node:test'
import { freePort } from '../free-port.ts'
import { walk, walkAlone } from '../walked-page.ts'

test('docs/getting-started.md works as shown', (t) => walk(t, 'getting-started.md', { steps: 6 }))
test('docs/http-api.md works as shown', async (t) => walk(t, 'http-api.md', { steps: 3, port: await freePort() }))
test('docs/extended-resources.md works as shown', (t) => walk(t, 'extended-resources.md', { steps: 6 }))
test('docs/custom-resources.md works as shown', (t) => walk(t, 'custom-resources.md', { steps: 6 }))
test('docs/admission.md works as shown', async (t) => walk(t, 'admission.md', { steps: 5, port: await freePort() }))
test('docs/autoscaling.md works as shown', (t) => walk(t, 'autoscaling.md', { steps: 3, fast: true }))
test('docs/eviction.md works as shown', (t) => walk(t, 'eviction.md', { steps: 5, fast: true }))
test('docs/node-failures.md works as shown', (t) => walk(t, 'node-failures.md', { steps: 3, fast: true }))
test('docs/services.md works as shown', (t) => walk(t, 'services.md', { steps: 5, serviceAddresses: true }))
test('docs/volumes.md works as shown', (t) => walk(t, 'volumes.md', { steps: 3, fast: true }))
test('docs/kubectl-plugins.md works as shown', (t) => walk(t, 'kubectl-plugins.md', { steps: 2, fast: true }))
test('docs/clusters.md works as shown', (t) => walkAlone(t, 'clusters.md', { steps: 7 }))
test('docs/test-operator.md works as shown', (t) => walkAlone(t, 'test-operator.md', { steps: 2 }))
