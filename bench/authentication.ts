/** What it costs to know who asks, when a webhook has said so before: CPU time of one request's authentication, in this process. */
import { systemClock } from '../src/base/clock.ts'
import { cachedTokens } from '../src/server/auth/authenticators/cached-tokens.ts'
import { createAuthenticator } from '../src/server/auth/create-authenticator.ts'
import type { Result } from './measures.ts'

const OWN = ['https://kubernetes.default.svc']
const TOKENS = 1_000
const CALLS = 500_000
/** Five hundredths of what a GET of a pod may cost the server (`bench cpu`). */
const AIM_US = 0.05 * 45

/** A thousand tokens, each asked for once, then shown again and again. */
export async function rememberedTokens(): Promise<Result[]> {
  let requested = 0
  const webhook = {
    authenticateToken: async (token: string, audiences: readonly string[]) => {
      requested++
      return { user: { name: token, groups: ['developers'] }, audiences }
    },
  }
  const remembered = cachedTokens(webhook, { successMs: 120_000, failureMs: 120_000 }, { clock: systemClock })
  const anonymous = { enabled: true, paths: new Set<string>() }
  const authenticator = createAuthenticator({ requests: [], tokens: [remembered], audiences: OWN, anonymous }, { clock: systemClock })
  const credentials = Array.from({ length: TOKENS }, (_, i) => ({
    path: '/api/v1/namespaces/default/pods/p',
    authorization: `Bearer token-of-somebody-${i}`,
    headers: { 'user-agent': 'bench', accept: 'application/json' },
  }))
  for (const one of credentials) await authenticator.authenticate(one)
  const run = (calls: number) => {
    const before = process.cpuUsage()
    for (let i = 0; i < calls; i++) authenticator.authenticate(credentials[i % TOKENS] ?? { path: '', headers: {} })
    const { user, system } = process.cpuUsage(before)
    return (user + system) / calls
  }
  run(CALLS / 10)
  const us = run(CALLS)
  if (requested !== TOKENS) throw new Error(`the webhook was asked ${requested} times for ${TOKENS} tokens`)
  return [
    { measure: 'authentication by a remembered webhook token', value: `${us.toFixed(2)} µs CPU`, aim: `≤ ${AIM_US} µs`, upstream: '–' },
  ]
}
