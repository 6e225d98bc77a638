/** The page of the drop-in for envtest, walked. */
import { test } from 'node:test'
import { walkGuide } from '../walked-guide.ts'

test('docs/envtest.md works as shown', { timeout: 120_000 }, (t) => walkGuide('envtest', t))
