// The document of a terminal. It is a frame of its own, for xterm makes style elements and attributes, which the page's policy refuses.
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import type { TerminalEvents, TerminalScreen } from './terminal-screen.ts'

const element = document.getElementById('terminal')
if (element === null) throw new Error('invariant: terminal.html has the element of the terminal')
const place = element

/** The colours of the page. */
function themeOf() {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const [background, foreground] = [colour('--panel'), colour('--text')]
  return { background, foreground, cursor: colour('--accent'), cursorAccent: background, selectionBackground: colour('--select') }
}

function openTerminal({ onKeys, onSize, onLeave }: TerminalEvents): TerminalScreen {
  const terminal = new Terminal({
    theme: themeOf(),
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    fontSize: 13,
    scrollback: 5_000,
    // WCAG's contrast of text, whatever colours a program chooses.
    minimumContrastRatio: 4.5,
    // No link of a program can be clicked.
    linkHandler: { activate: () => {} },
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(place)
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.type !== 'keydown' || event.key !== 'Escape' || !event.shiftKey) return true
    onLeave()
    return false
  })
  terminal.onData(onKeys)
  terminal.onResize(({ cols, rows }) => onSize({ width: cols, height: rows }))
  new ResizeObserver(() => fit.fit()).observe(place)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    terminal.options.theme = themeOf()
  })
  fit.fit()
  terminal.focus()
  return {
    size: () => ({ width: terminal.cols, height: terminal.rows }),
    write: (bytes) => terminal.write(bytes),
    reset: () => terminal.reset(),
    setTty: (hasTty) => {
      terminal.options.convertEol = !hasTty
    },
  }
}

window.openTerminal = openTerminal
