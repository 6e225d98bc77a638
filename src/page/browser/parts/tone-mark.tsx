import type { Tone } from '../../wire/object-name.ts'

const MARKS: Readonly<Record<Tone, readonly [mark: string, word: string]>> = {
  '': ['●', 'well'],
  bad: ['▲', 'not well'],
  busy: ['◐', 'on its way'],
  done: ['✓', 'done'],
}

/** How an object does: by shape and by colour, for not everybody sees both. */
export function ToneMark({ tone }: { readonly tone: Tone }) {
  const [mark, word] = MARKS[tone]
  return (
    <span class={`mark tone-${tone || 'well'}`} role="img" aria-label={word} title={word}>
      {mark}
    </span>
  )
}
