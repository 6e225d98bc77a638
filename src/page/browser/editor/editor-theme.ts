import { EditorView } from '@codemirror/view'

/** The page's colours, which reach into the shadow tree as variables. */
export const EDITOR_THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--panel)', fontSize: '12px' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--dim)', backgroundColor: 'var(--ground)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--select)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--select)' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--ground)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': { color: 'var(--text)', backgroundColor: 'var(--panel)', border: '1px solid var(--line)' },
  '.cm-button': { color: 'var(--text)', background: 'var(--panel)', border: '1px solid var(--line)' },
  '.tok-propertyName, .tok-definition': { color: 'var(--key)' },
  '.tok-string, .tok-string2': { color: 'var(--well)' },
  '.tok-comment, .tok-meta': { color: 'var(--dim)' },
  '.fault-line': { backgroundColor: 'var(--bad-ground)' },
  '.fault-text': {
    color: 'var(--bad)',
    backgroundColor: 'var(--bad-ground)',
    fontFamily: 'var(--sans)',
    padding: '0 6px 2px',
    whiteSpace: 'pre-wrap',
  },
})
