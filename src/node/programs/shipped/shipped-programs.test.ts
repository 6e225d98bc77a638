import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMANDS } from '../../../shell/commands/commands.ts'
import { NETWORK_COMMANDS } from './network-commands.ts'
import { SHIPPED_COMMANDS, shippedName } from './shipped-programs.ts'

test('the names that are known without loading anything are those of the commands', () => {
  assert.deepEqual([...SHIPPED_COMMANDS].sort(), [...COMMANDS.keys(), ...Object.keys(NETWORK_COMMANDS)].sort())
})

test('a command is meant by its name and where programs lie, and nowhere else', () => {
  const words = ['sh', '/bin/sh', '/usr/bin/env', '/opt/sh', './sh', '/bin/nothing', 'constructor']
  assert.deepEqual(words.map(shippedName), ['sh', 'sh', 'env', undefined, undefined, undefined, undefined])
})
