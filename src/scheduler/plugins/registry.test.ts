import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pluginOf } from './plugin-table.double.ts'
import { BUILTIN_PLUGINS, builtinPlugin, DEFAULT_PLUGINS, defaultPlugins } from './registry.ts'

for (const { name, create, points, weight } of BUILTIN_PLUGINS)
  test(`${name} goes by its name, and has what its points promise`, () => {
    const plugin = pluginOf(create)
    assert.equal(plugin.name, name)
    assert.equal(builtinPlugin(name)?.create, create)
    if (name === 'TopologyPlacementGenerator') return
    const implemented = ['filter', 'postFilter', 'score', 'reserve', 'preBind', 'bind', 'permit', 'queueSort'] as const
    // DefaultPreemption takes part in PreEnqueue upstream, for asynchronous preemption.
    for (const point of implemented) {
      if (name === 'VolumeBinding' && (point === 'score' || point === 'reserve')) continue
      assert.equal(plugin[point] !== undefined, points.includes(point), point)
    }
    assert.equal(weight > 0, points.includes('score') && name !== 'VolumeBinding')
  })

test('no plugin is there twice, and the default profile has all but the alpha ones', () => {
  assert.equal(new Set(BUILTIN_PLUGINS.map((p) => p.name)).size, BUILTIN_PLUGINS.length)
  const off = BUILTIN_PLUGINS.filter((p) => !DEFAULT_PLUGINS.some((d) => d.name === p.name)).map((p) => p.name)
  assert.deepEqual(off, ['GangScheduling', 'TopologyPlacementGenerator'])
})

test('a feature gate adds its plugin at the end of the default profile', () => {
  const names = defaultPlugins(new Set(['GangScheduling'])).map((p) => p.name)
  assert.deepEqual(names, [...DEFAULT_PLUGINS.map((p) => p.name), 'GangScheduling'])
})
