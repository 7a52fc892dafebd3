/* One document, from its blocks to its chunks. */

#include "job.h"

#include "cut.h"

enum { LARGEST = 1 << 30 }; /* of sizes, so that squares of them are exact */

static bool job_open(Job *job, PyObject *text, PyObject *blocks, PyObject *count, int depth)
{
    if (job->plan.limit > LARGEST) {
        PyErr_SetString(PyExc_NotImplementedError, "a limit beyond all texts");
        return false;
    }
    if (!text_open(&job->text, text, "strict") || !text_index(&job->text))
        return false;
    if (!outline_open(&job->outline, blocks, depth))
        return false;
    size_t tops = job->outline.top_count;
    if (tops && job->outline.tops[tops - 1].end > job->text.length) {
        PyErr_SetString(PyExc_NotImplementedError, "a block behind the text");
        return false;
    }
    if (!meter_open(&job->meter, &job->text, count))
        return false;
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
    meter_close(&job->meter);
    outline_close(&job->outline);
    text_close(&job->text);
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
