import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { upstream } from '../../../test/upstream.ts'
import { FieldSelector, parseFieldSelector } from './field-selector.ts'
import { parseLabelSelector, SelectorError } from './label-selector.ts'

const folder = pathToFileURL(path.join(upstream, 'cases/'))

interface Step {
  path?: string
  expect?: { code?: number; body?: { message?: string } }
}

/** Every selector in the recorded lists, with what Kubernetes says of it. */
function* recorded(parameter: string): Generator<{ text: string; code: number; message: string }> {
  for (const file of ['semantics/lists.json', 'basics/lists.json']) {
    const { cases } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { cases: { steps: Step[] }[] }
    for (const { path, expect } of cases.flatMap((c) => c.steps)) {
      const query = path?.replaceAll('{ns}', 'ns1').includes('configmaps?') ? path.replaceAll('{ns}', 'ns1').split('?')[1] : undefined
      const values = (query ?? '').split('&').filter((part) => part.startsWith(`${parameter}=`))
      if (values.length !== 1 || query?.includes('&') || expect?.code === undefined) continue
      yield { text: values[0]?.slice(parameter.length + 1) ?? '', code: expect.code, message: expect.body?.message ?? '' }
    }
  }
}

const attempt = (run: () => unknown): string => {
  try {
    run()
    return ''
  } catch (error) {
    assert.ok(error instanceof SelectorError, String(error))
    return error.message
  }
}

test('label selectors are refused in the recorded words, and only those', () => {
  for (const { text, code, message } of recorded('labelSelector'))
    assert.equal(
      attempt(() => parseLabelSelector(text)),
      code === 400 ? message : '',
      text,
    )
})

test('field selectors are refused in the recorded words', () => {
  for (const { text, code, message } of recorded('fieldSelector')) {
    if (message.includes('is not a known field selector')) continue
    assert.equal(
      attempt(() => parseFieldSelector(text)),
      code === 400 ? message : '',
      text,
    )
  }
  assert.ok(parseFieldSelector('') instanceof FieldSelector)
})
