import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { foldGutter, foldKeymap, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  WidgetType,
} from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import type { DraftFault } from '../../wire/draft-page.ts'
import { EDITOR_THEME } from './editor-theme.ts'

interface CodeEditorOptions {
  readonly text: string
  onText(text: string): void
  onSave(): void
}

/** An editor of YAML. This module and CodeMirror are loaded when the first editor is opened. */
export interface CodeEditor {
  /** Replaces what differs: the cursor stays where it is. */
  setText(text: string): void
  setFaults(faults: readonly DraftFault[]): void
  /** Puts the cursor into a line, from 1. */
  goTo(line: number): void
  close(): void
}

/**
 * Opens an editor in an element. It is in a shadow tree: there CodeMirror's styles are constructed sheets, which the page's policy permits,
 * where style elements are refused.
 */
export function openCodeEditor(host: HTMLElement, { text, onText, onSave }: CodeEditorOptions): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  /** A key that is handled here alone. */
  const onKey = (key: string, act: (view: EditorView) => void) => ({
    key,
    preventDefault: true,
    run: (view: EditorView) => {
      act(view)
      return true
    },
  })
  // Escape leaves the editor, and not the view.
  const ownKeys = keymap.of([onKey('Mod-s', onSave), onKey('Escape', ({ contentDOM }) => contentDOM.blur())])
  const extensions = [
    [lineNumbers(), foldGutter(), highlightSpecialChars(), history(), drawSelection(), highlightActiveLine(), highlightSelectionMatches()],
    [search({ top: true }), keymap.of(searchKeymap), ownKeys, keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap])],
    replaceSelections,
    [yaml(), indentUnit.of('  '), syntaxHighlighting(classHighlighter), EDITOR_THEME, faultMarks],
    EditorView.contentAttributes.of({ 'aria-label': 'YAML of the object' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onText(update.state.doc.toString())
    }),
  ]
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root })
  // What is scrolled must be reached by keyboard (axe: scrollable-region-focusable).
  view.scrollDOM.tabIndex = 0
  return {
    setText: (next) => replaceText(view, next),
    setFaults: (faults) => view.dispatch({ effects: setFaultMarks.of(faults) }),
    goTo(line) {
      const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines))
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
      view.focus()
    },
    close: () => view.destroy(),
  }
}

/**
 * Text over a selection, and deletions that no key is bound to. Left to itself, the browser keeps the look of what is replaced in `style`
 * attributes, which the page's policy refuses.
 */
const replaceSelections = EditorView.domEventHandlers({
  beforeinput({ inputType, data, cancelable }, view) {
    const isInput = inputType === 'insertText' || inputType.startsWith('deleteContent')
    if (!isInput || !cancelable || view.state.selection.ranges.every(({ empty }) => empty)) return false
    const userEvent = inputType === 'insertText' ? 'input.type' : 'delete.selection'
    view.dispatch(view.state.replaceSelection(inputType === 'insertText' ? (data ?? '') : ''), { userEvent, scrollIntoView: true })
    return true
  },
})

function replaceText(view: EditorView, next: string): void {
  const now = view.state.doc.toString()
  if (now === next) return
  const most = Math.min(now.length, next.length)
  let head = 0
  while (head < most && now[head] === next[head]) head++
  let tail = 0
  while (tail < most - head && now[now.length - 1 - tail] === next[next.length - 1 - tail]) tail++
  view.dispatch({ changes: { from: head, to: now.length - tail, insert: next.slice(head, next.length - tail) } })
}

const setFaultMarks = StateEffect.define<readonly DraftFault[]>()

/** Lines that are wrong, and below them why. They move with the text until the next check. */
const faultMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects, state }) {
    const found = effects.find((effect) => effect.is(setFaultMarks))
    return found === undefined ? marks.map(changes) : marksOf(found.value, state)
  },
  provide: (field) => EditorView.decorations.from(field),
})

function marksOf(faults: readonly DraftFault[], { doc }: EditorState): DecorationSet {
  const marks = faults
    .filter(({ line }) => line > 0)
    .flatMap(({ line, message }) => {
      const { from, to } = doc.line(Math.min(line, doc.lines))
      const below = Decoration.widget({ widget: new FaultText(message), block: true, side: 1 })
      return [Decoration.line({ class: 'fault-line' }).range(from), below.range(to)]
    })
  return Decoration.set(marks, true)
}

class FaultText extends WidgetType {
  readonly #message: string

  constructor(message: string) {
    super()
    this.#message = message
  }

  override eq(other: FaultText): boolean {
    return other.#message === this.#message
  }

  toDOM(): HTMLElement {
    const element = document.createElement('div')
    element.className = 'fault-text'
    element.textContent = `▲ ${this.#message}`
    return element
  }
}
