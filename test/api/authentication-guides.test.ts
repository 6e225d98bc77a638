/**
 * The guides of authentication, walked: their files are written into an empty folder, bash runs their commands, and the output is compared.
 */
import { test } from 'node:test'
import { walkGuide } from '../walked-guide.ts'

for (const guide of ['webhook-tokens', 'oidc', 'authenticating-proxy', 'exec-credentials'])
  test(`docs/${guide}.md works as shown`, { timeout: 120_000 }, (t) => walkGuide(guide, t))
