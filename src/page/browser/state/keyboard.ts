import { signal } from '@preact/signals'

/** What a key does in the view that is shown. */
export interface KeyBinding {
  readonly keys: readonly string[]
  readonly what: string
  run(): void
}

/** The bindings of the parts that are shown; the youngest first. */
export const bindings = signal<readonly (readonly KeyBinding[])[]>([])

/** Binds keys until the returned function is called. In a layout effect: a key then works as soon as its view is drawn. */
export function bindKeys(own: readonly KeyBinding[]): () => void {
  bindings.value = [own, ...bindings.peek()]
  return () => {
    bindings.value = bindings.peek().filter((each) => each !== own)
  }
}

const isTyping = (target: EventTarget | undefined): target is HTMLElement =>
  (target instanceof HTMLElement && target.isContentEditable) ||
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    // The editor has taken it, or it is for the dialog above the view.
    if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]') !== null) return
    const name = event.ctrlKey || event.metaKey ? `ctrl+${event.key}` : event.key
    const [target] = event.composedPath()
    if (isTyping(target)) {
      if (name === 'Escape') target.blur()
      if (!name.startsWith('ctrl+')) return
    }
    const found = bindings.value.flat().find(({ keys }) => keys.includes(name))
    if (found === undefined || (name === 'Enter' && event.target instanceof HTMLAnchorElement)) return
    event.preventDefault()
    found.run()
  })
}
