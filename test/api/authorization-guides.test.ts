/** The guides of authorization and admission, walked. */
import { test } from 'node:test'
import { walkGuide } from '../walked-guide.ts'

for (const guide of ['authorization-webhook', 'structured-authorization', 'image-policy-webhook'])
  test(`docs/${guide}.md works as shown`, { timeout: 120_000 }, (t) => walkGuide(guide, t))
