/* One document, from its blocks to its chunks. */

#include "job.h"

#include "cut.h"
#include "measure.h"

enum { LARGEST = 1 << 30 }; /* of sizes, so that squares of them are exact */

/* Text and meter: those of a Measure where the document has one. */
static bool open_text(Job *job, PyObject *text, PyObject *count)
{
    if (!Py_IS_TYPE(count, &MeasureType))
        return text_open(&job->text, text, "strict") && text_index(&job->text) &&
               meter_open(&job->meter, &job->text, count, false);
    const Measure *measure = (const Measure *)count;
    if (measure->string != text) {
        PyErr_SetString(PyExc_ValueError, "expected a measure of this document");
        return false;
    }
    job->borrowed = true;
    job->text = measure->text;
    job->meter = measure->meter;
    job->meter.text = &job->text;
    job->meter.scratch = NULL;
    job->meter.scratch_size = job->meter.scratch_room = 0;
    return true;
}

static void close_text(Job *job)
{
    if (job->borrowed) {
        job->text = (Text){.length = 0};
        job->meter.marks = NULL;
        job->meter.words = NULL;
    }
    meter_close(&job->meter);
    text_close(&job->text);
}

static bool job_open(Job *job, PyObject *text, PyObject *blocks, PyObject *count, int depth)
{
    if (job->plan.limit > LARGEST) {
        PyErr_SetString(PyExc_NotImplementedError, "a limit beyond all texts");
        return false;
    }
    if (!open_text(job, text, count))
        return false;
    if (!outline_open(&job->outline, blocks, depth))
        return false;
    size_t tops = job->outline.top_count;
    if (tops && job->outline.tops[tops - 1].end > job->text.length) {
        PyErr_SetString(PyExc_NotImplementedError, "a block behind the text");
        return false;
    }
    job->kept = PyList_New(0);
    job->leads = PyMem_Calloc(tops + 1, sizeof *job->leads);
    job->bare = PyMem_Calloc(tops + 1, sizeof *job->bare);
    if (job->kept && (!job->leads || !job->bare))
        PyErr_NoMemory();
    return job->kept && job->leads && job->bare;
}

static void job_close(Job *job)
{
    for (size_t i = 0; i < job->draft_count; i++) {
        Py_DECREF(job->drafts[i].context);
        Py_DECREF(job->drafts[i].closing);
        Py_DECREF(job->drafts[i].seam);
    }
    for (size_t i = 0; job->leads && i < job->outline.top_count; i++)
        Py_XDECREF(job->leads[i].context);
    signal_close(&job->signal);
    PyMem_Free(job->drafts);
    PyMem_Free(job->leads);
    PyMem_Free(job->bare);
    PyMem_Free(job->atoms);
    PyMem_Free(job->packing);
    PyMem_Free(job->cuts);
    Py_XDECREF(job->kept);
    outline_close(&job->outline);
    close_text(job);
}

/* None for what the compiled path leaves to Python: lone surrogates, blocks of no usual shape. */
static PyObject *left_to_python(void)
{
    if (!PyErr_ExceptionMatches(PyExc_NotImplementedError) && !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return NULL;
    PyErr_Clear();
    return Py_NewRef(Py_None);
}

PyObject *cut_document(PyObject *module, PyObject *args)
{
    Job job = {.additive = false};
    PyObject *document, *count, *signal;
    int additive, depth, own_rules;
    if (!PyArg_ParseTuple(args, "OOp(nnnidO!O!p)O!O", &document, &count, &additive, &job.plan.target, &job.plan.limit,
                          &job.plan.most, &depth, &job.plan.balance, &PyDict_Type, &job.plan.scores, &PyDict_Type,
                          &job.plan.whole, &own_rules, &PyTuple_Type, &signal, &job.rest))
        return NULL;
    if (!chunks_prepare())
        return NULL;
    if (!signal_open(&job.signal, signal)) {
        signal_close(&job.signal);
        return NULL;
    }
    job.additive = additive;
    job.plan.own_rules = own_rules;
    PyObject *text = PyObject_GetAttrString(document, "text");
    PyObject *blocks = text ? PyObject_GetAttrString(document, "blocks") : NULL;
    PyObject *chunks = NULL;
    if (blocks && PyUnicode_Check(text)) {
        if (!job_open(&job, text, blocks, count, depth))
            chunks = left_to_python();
        else if (make_drafts(&job))
            chunks = make_chunks(&job, document);
    }
    job_close(&job);
    Py_XDECREF(text);
    Py_XDECREF(blocks);
    return chunks;
}
