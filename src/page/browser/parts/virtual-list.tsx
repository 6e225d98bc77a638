import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

export interface Window {
  readonly from: number
  readonly count: number
}

interface VirtualListProps {
  /** How many lines there are in all. */
  readonly total: number
  readonly lineHeight: number
  /** The line that is kept in view; -1: none. */
  readonly cursor: number
  readonly label: string
  /** The number of rows and columns, if the lines are the rows of a grid. */
  readonly grid?: { readonly rows: number; readonly columns: number }
  readonly head?: ComponentChildren
  /** The lines that are to be there: those in view, and some beyond. */
  onWindow(window: Window): void
  readonly children: ComponentChildren
  /** The index of the first child. */
  readonly from: number
}

/** Lines beyond the view, so that scrolling meets none that are missing. */
const OVERSCAN = 20
/** What browsers lay out at most is some 33 million pixels: a million lines. */
const MAX_HEIGHT = 30_000_000

const gridOf = ({ rows, columns }: { readonly rows: number; readonly columns: number }) =>
  ({ role: 'grid', 'aria-rowcount': rows, 'aria-colcount': columns }) as const

/** A scrolled area that has elements for the lines in view alone. */
export function VirtualList({ total, lineHeight, cursor, label, grid, head, onWindow, children, from }: VirtualListProps) {
  const area = useRef<HTMLDivElement>(null)
  const height = useSignal(0)
  const look = () => {
    const element = area.current
    if (element === null) return
    const first = Math.max(0, Math.floor(element.scrollTop / lineHeight) - OVERSCAN)
    onWindow({ from: first, count: Math.ceil(element.clientHeight / lineHeight) + 2 * OVERSCAN })
  }
  useLayoutEffect(() => {
    const element = area.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
      look()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const element = area.current
    if (element === null || cursor < 0) return
    const headHeight = head === undefined ? 0 : lineHeight
    const [top, bottom] = [cursor * lineHeight, (cursor + 1) * lineHeight + headHeight]
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
  }, [cursor, height.value])
  return (
    // Scrolled by keyboard as well: it is an element of the order of Tab.
    <div
      class="virtual"
      ref={area}
      onScroll={look}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard (axe: scrollable-region-focusable)
      tabIndex={0}
      {...{ 'aria-label': label, ...(grid === undefined ? { role: 'group' as const } : gridOf(grid)) }}
    >
      {head}
      <div class="virtual-space" role="presentation" style={{ height: `${Math.min(total * lineHeight, MAX_HEIGHT)}px` }}>
        <div class="virtual-lines" role="presentation" style={{ transform: `translateY(${from * lineHeight}px)` }}>
          {children}
        </div>
      </div>
    </div>
  )
}
