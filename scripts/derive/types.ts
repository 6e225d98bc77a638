/**
 * Writes `src/resources/types/`: the TypeScript types of Kubernetes' objects, one file a group, from the facts (`src/resources/facts`); and
 * `src/resources/refs.ts` and `src/sdk/kinds/builtin-kinds.ts`: their collections and kinds, from the definitions.
 *
 * `npm run generate` runs it; what it writes is checked in, and `scripts/derive/types.test.ts` holds both to the same text.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { builtinResources } from '../../src/resources/builtin.ts'
import { GATED_KINDS } from '../../src/resources/gated-kinds.ts'
import { kindsText, refsText } from './refs-text.ts'
import { readFacts, typeFiles } from './types-text.ts'

const src = path.join(import.meta.dirname, '..', '..', 'src')

/** Every generated file: its path below `src` → its text. */
export function generatedTypes(): ReadonlyMap<string, string> {
  const facts = readFacts(path.join(src, 'resources', 'facts'))
  const definitions = [...builtinResources(), ...GATED_KINDS.map(({ definition }) => definition)]
  return new Map([
    ...[...typeFiles(facts)].map(([name, text]) => [`resources/types/${name}.ts`, text] as const),
    ['resources/refs.ts', refsText(definitions, facts)],
    ['sdk/kinds/builtin-kinds.ts', kindsText(definitions, facts)],
  ])
}

if (import.meta.main) {
  mkdirSync(path.join(src, 'resources', 'types'), { recursive: true })
  for (const [file, text] of generatedTypes()) writeFileSync(path.join(src, file), text)
}
