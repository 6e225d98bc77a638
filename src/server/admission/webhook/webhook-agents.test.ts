import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebhookAgents } from './webhook-agents.ts'

test('beyond the limit, the least recently used connections are dropped, but none in use', async () => {
  using agents = new WebhookAgents()
  const destroyed: string[] = []
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const use = (name: string, until: Promise<void> = Promise.resolve()) =>
    agents.use({ caBundle: undefined, servername: name }, async (agent) => {
      const destroy = agent.destroy.bind(agent)
      agent.destroy = () => {
        destroyed.push(name)
        destroy()
      }
      await until
    })
  const busy = use('busy', held)
  for (let i = 0; i < 63; i++) await use(`a${i}`)
  await use('a0')
  await use('one-more')
  await use('and-another')
  assert.deepEqual(destroyed, ['a1', 'a2'])
  letGo()
  await busy
  assert.equal(agents.size, 64)
})

test('when all are in use, more are kept, until their calls end', async () => {
  using agents = new WebhookAgents()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const calls = Array.from({ length: 100 }, (_, i) => agents.use({ caBundle: undefined, servername: `b${i}` }, () => held))
  assert.equal(agents.size, 100)
  letGo()
  await Promise.all(calls)
  assert.equal(agents.size, 64)
})
