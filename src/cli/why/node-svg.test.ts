import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TopologyReport } from '../../resources/bowsprit/topology-report.ts'
import { whyNodeSvg } from './node-svg.ts'

test('the picture shows each processor once, and what a pod is called is text and nothing else', () => {
  const cpu = (id: number, core: number) => ({ id, core, socket: 0, cache: 0, use: 'shared' as const })
  const devices = (...all: readonly (readonly [string, 'own' | 'others' | 'free', boolean])[]) => ({
    resource: 'example.com/dongle',
    devices: all.map(([id, use, healthy]) => ({ id, use, healthy })),
    total: all.length,
    own: all.filter(([, use]) => use === 'own').length,
    others: all.filter(([, use]) => use === 'others').length,
    free: all.filter(([, use, healthy]) => use === 'free' && healthy).length,
    unhealthy: all.filter(([, , healthy]) => !healthy).length,
  })
  const report: TopologyReport = {
    apiVersion: 'bowsprit.dev/v1',
    kind: 'TopologyReport',
    metadata: { name: '<script>&"', namespace: 'default' },
    summary: 's',
    node: 'n',
    policy: 'none',
    scope: 'container',
    decisions: [],
    devices: [devices(['a', 'own', true], ['<b>', 'free', false])],
    numaNodes: [
      {
        devices: [devices(['c', 'others', true])],
        id: 0,
        cpus: [cpu(0, 0), cpu(1, 1)],
        memory: [{ type: 'memory', total: 100, reserved: 1, own: 50, others: 0 }],
      },
    ],
  }
  const svg = whyNodeSvg(report)
  assert.equal([...svg.matchAll(/<title>cpu \d+/g)].length, 2)
  assert.equal([...svg.matchAll(/<circle /g)].length, 3)
  assert.ok(svg.includes('example.com/dongle &lt;b&gt;: free, unhealthy'))
  assert.ok(svg.includes('&lt;script&gt;&amp;&quot;') && !svg.includes('<script'))
  // Every opened element is closed.
  const open = [...svg.matchAll(/<([a-z]+)[^>]*?(\/?)>/g)].filter((m) => m[2] === '').map((m) => m[1])
  const close = [...svg.matchAll(/<\/([a-z]+)>/g)].map((m) => m[1])
  assert.deepEqual(open.toSorted(), close.toSorted())
})
