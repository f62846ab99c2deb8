// @ts-check
// The look of the page. Colours after Okabe and Ito, told apart also by shape and pattern.

/** Light and dark. */
export const colours = `
:root { color-scheme: light dark;
  --paper: #fbfaf7; --panel: #ffffff; --ink: #1d2126; --soft: #5d6672; --rule: #e4e1d9;
  --hold: #0072b2; --on-hold: #ffffff; --read: #59b8a0; --on-read: #06281f; --wait: #b9c3cf; --paused: #e69f00; --paused-bg: #fdf0d2;
  --lost: #b5638f; --lost-bg: #f8e6f0; --killed: #c84b00; --refused: #8a1c4a; --on-cut: #1d2126; --good: #00795a; --band: #f3f6fa; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #12151a; --panel: #191d24; --ink: #e9ecf0; --soft: #9aa4b1; --rule: #2b313b;
  --hold: #56b4e9; --on-hold: #06202f; --read: #2f9e82; --on-read: #ffffff; --wait: #48525f; --paused: #f0b53a; --paused-bg: #3d3013;
  --lost: #e093bd; --lost-bg: #3f2434; --killed: #ff8142; --refused: #ff6fa3; --on-cut: #1d2126; --good: #3fd0a4; --band: #1d232c; } }
`;

/** What is drawn. */
export const drawing = `
svg text { font: 11.5px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--soft); font-variant-numeric: tabular-nums }
.grid { stroke: var(--rule) } .lane { stroke: var(--rule); stroke-dasharray: 1 4 }
svg .name { fill: var(--ink); font-size: 12.5px } svg .strong { font-weight: 700 }
.resource { fill: var(--band) } .sprint { fill: var(--band); opacity: .75 }
.hold { fill: var(--hold) } .read { fill: var(--read) } .wait { fill: var(--wait) }
.paused { fill: url(#paused); stroke: var(--paused) } .lost { fill: url(#lost); stroke: var(--lost); stroke-dasharray: 3 2 }
.orphan { fill: none; stroke: var(--killed); stroke-dasharray: 4 3 }
svg .on { font-size: 10.5px; font-weight: 600; pointer-events: none } svg .on.hold { fill: var(--on-hold) } svg .on.read { fill: var(--on-read) }
svg .on.paused, svg .on.lost { fill: var(--ink); stroke: none } .plate { fill: var(--panel); pointer-events: none }
.hand-over { stroke: var(--hold); stroke-width: 1.2; opacity: .75 } .hand-over.pass { stroke: var(--good); opacity: .9 }
.run { fill: var(--good) } .process { stroke: var(--soft); stroke-width: 2 }
svg .on.orphan, svg .remark { fill: var(--killed); stroke: none; font-weight: 600; font-size: 11.5px }
.pole { stroke: var(--ink); stroke-width: 1.5 } .cloth { fill: var(--ink) } svg .flag { fill: var(--ink); font-weight: 700 }
svg .phase { font-style: italic }
.killed circle { fill: var(--killed); stroke: var(--panel); stroke-width: 2 } .killed path { stroke: var(--panel); stroke-width: 2.4; stroke-linecap: round }
.cut circle { fill: var(--paused); stroke: var(--panel); stroke-width: 1.5 } .cut path { fill: var(--on-cut) }
.refused circle { fill: var(--refused); stroke: var(--panel); stroke-width: 2 } .refused rect { fill: var(--panel) }
.badge circle { fill: var(--ink); stroke: var(--panel); stroke-width: 1.5 } svg .badge text { fill: var(--panel); font-weight: 700; font-size: 10px }
.lens { fill: none; stroke: var(--ink); stroke-width: 1 } .beam { fill: var(--soft); opacity: .1 }
.lens-pane { fill: none; stroke: var(--rule) } svg .caption { fill: var(--ink); font-weight: 600; font-size: 12.5px }
`;

export const style = `${colours}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system,
  "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif }
main { max-width: 1260px; margin: 0 auto; padding: 44px 28px 36px }
header { display: grid; grid-template-columns: 1fr auto; gap: 20px 40px; align-items: end; margin-bottom: 26px }
.chart::before, .table::before { display: none; content: "wider than this screen: scroll it sideways →"; position: sticky; left: 0; color: var(--soft); font-size: 13px; padding-bottom: 6px }
@media (max-width: 960px) { .chart::before, .table::before { display: block } }
@media (max-width: 760px) { header { grid-template-columns: 1fr } .hero { text-align: left } main { padding: 28px 16px } }
.brand { display: flex; gap: 9px; align-items: center; font-weight: 600; color: var(--soft); letter-spacing: .02em }
.brand svg { width: 22px; height: 22px }
h1 { font-size: 34px; line-height: 1.15; letter-spacing: -.02em; margin: 10px 0 8px; font-weight: 700 }
header p { margin: 0; color: var(--soft); max-width: 68ch }
.hero { display: flex; gap: 30px; text-align: right }
.hero b { display: block; font-size: 30px; line-height: 1.1; letter-spacing: -.02em; font-variant-numeric: tabular-nums }
.hero span { color: var(--soft); font-size: 13px }
.hero .good b { color: var(--good) } .hero .bad b { color: var(--killed) }
section, .panel { background: var(--panel); border: 1px solid var(--rule); border-radius: 12px; margin: 0 0 20px; padding: 20px 22px }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; white-space: nowrap }
th { font-weight: 500; color: var(--soft); font-size: 13px; text-align: right; padding: 0 12px 8px }
td { text-align: right; padding: 7px 12px; border-top: 1px solid var(--rule) }
th:first-child, td:first-child { text-align: left; padding-left: 0 } td:first-child { font-weight: 600 }
th:last-child, td:last-child { padding-right: 0 }
.panel small { display: block; color: var(--soft); margin-top: 10px; line-height: 1.55 }
h2 { font-size: 20px; margin: 0; letter-spacing: -.01em } section > p { margin: 2px 0 14px; color: var(--soft); max-width: 125ch }
.legend { display: flex; flex-wrap: wrap; gap: 6px 22px; margin: 0 2px 20px; padding: 0; list-style: none; color: var(--soft); font-size: 13.5px }
.legend li { display: flex; align-items: center; gap: 8px } .legend svg { width: 28px; height: 20px; flex: none }
.chart svg { display: block; width: 100%; min-width: 860px; height: auto }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(430px, 100%), 1fr)); gap: 4px 44px; margin-top: 16px; border-top: 1px solid var(--rule); padding-top: 14px }
ol, .proofs { margin: 0; padding: 0; list-style: none } .facts li { padding: 3px 0 3px 28px; position: relative }
ol { counter-reset: note } ol li { counter-increment: note }
ol li::before { content: counter(note); position: absolute; left: 0; top: 5px; width: 18px; height: 18px; border-radius: 50%;
  background: var(--ink); color: var(--panel); font: 700 11px/18px system-ui, sans-serif; text-align: center }
.proofs li::before { content: "✓"; position: absolute; left: 4px; color: var(--good); font-weight: 700 }
.proofs li.violated { color: var(--killed); font-weight: 600 } .proofs li.violated::before { content: "✗"; color: inherit }
footer { color: var(--soft); font-size: 13px; margin: 4px 2px }
${drawing}`;

/** The patterns that tell paused from lost without colours. */
export const patternDefs = `<defs>
<pattern id="paused" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="7" height="7" style="fill:var(--paused-bg)"/><rect width="3" height="7" style="fill:var(--paused)"/></pattern>
<pattern id="lost" width="5" height="5" patternUnits="userSpaceOnUse"><rect width="5" height="5" style="fill:var(--lost-bg)"/><circle cx="2.5" cy="2.5" r="1" style="fill:var(--lost)"/></pattern>
</defs>`;

export const patterns = `<svg width="0" height="0" style="position:absolute" aria-hidden="true">${patternDefs}</svg>`;
