import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverIdentity } from './server-identity.ts'

for (const [hostname, identity] of [['vm', 'apiserver-wlv32tlttr4jl3gtroqexyxapa']] as const)
  test(`a server on the host ${hostname} is ${identity}, as kube-apiserver 1.36.3 calls itself`, () => {
    assert.equal(serverIdentity(hostname), identity)
  })

test('servers on other hosts have other names, each a valid name of a Lease', () => {
  const names = ['a', 'b', 'node-1.example.com', ''].map(serverIdentity)
  assert.equal(new Set(names).size, 4)
  for (const name of names) assert.match(name, /^apiserver-[a-z2-7]{26}$/)
})
