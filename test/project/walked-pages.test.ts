/** Pages of `docs/` with commands and their output, walked with the real kubectl. */
import { test } from 'node:test'
import { freePort } from '../free-port.ts'
import { walk } from '../walked-page.ts'

test('what docs/extended-resources.md shows is what comes', (t) => walk(t, 'extended-resources.md', { steps: 6 }))
test('what docs/custom-resources.md shows is what comes', (t) => walk(t, 'custom-resources.md', { steps: 6 }))
test('what docs/admission.md shows is what comes', async (t) => walk(t, 'admission.md', { steps: 5, port: await freePort() }))
test('what docs/autoscaling.md shows is what comes', (t) => walk(t, 'autoscaling.md', { steps: 3, fast: true }))
test('what docs/eviction.md shows is what comes', (t) => walk(t, 'eviction.md', { steps: 5, fast: true }))
test('what docs/node-failures.md shows is what comes', (t) => walk(t, 'node-failures.md', { steps: 3, fast: true }))
test('what docs/volumes.md shows is what comes', (t) => walk(t, 'volumes.md', { steps: 3, fast: true }))
test('what docs/kubectl-plugins.md shows is what comes', (t) => walk(t, 'kubectl-plugins.md', { steps: 2, fast: true }))
