"use strict";
// Every table can be sorted; one of many rows can be filtered too.
(() => {
  const MANY = 8;
  for (const table of document.querySelectorAll(".scroll > table")) {
    const box = table.parentElement;
    const many = table.tBodies[0].rows.length >= MANY;
    box.replaceWith(table);
    new DataTable(table, {
      paging: false,
      order: [],
      autoWidth: false,
      layout: {
        topStart: many ? "search" : null,
        topEnd: many ? "info" : null,
        bottomStart: null,
        bottomEnd: null,
      },
      language: {
        search: "Filter",
        info: "_TOTAL_ rows",
        infoFiltered: "of _MAX_",
        infoEmpty: "no row",
        zeroRecords: "No row holds this.",
      },
    });
    // The box that scrolls is the one around the table alone, not around its filter.
    const inner = table.closest(".dt-layout-table");
    for (const { name, value } of box.attributes) {
      if (name === "class") inner.classList.add(...box.classList);
      else inner.setAttribute(name, value);
    }
  }
})();
